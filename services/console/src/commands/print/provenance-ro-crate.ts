import type { GraphActivity, GraphFile, ProvenanceGraph } from './provenance-graph.js'
import { encodingFormatOf } from './provenance-media-type.js'

/** A content that was written into the crate. */
export interface CrateFile {
  /** Below the crate, `/` between the parts. */
  readonly place: string
  readonly sizeBytes: number
}

type Entity = Readonly<Record<string, unknown>>

/** `ro-crate-metadata.json` (RO-Crate 1.1) for the files that were written, by key. */
export function roCrateMetadata(
  name: string,
  graph: ProvenanceGraph,
  written: ReadonlyMap<string, CrateFile>,
): string {
  const idOf = (file: GraphFile): string => {
    const found = written.get(file.key)
    return found ? encodedId(found.place) : `#lost-${file.key}`
  }
  const entities: readonly Entity[] = [
    {
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
      about: { '@id': './' },
    },
    rootOf(name, graph, written, idOf),
    ...graph.files.map((file) => fileEntity(file, written.get(file.key), graph, idOf(file))),
    ...graph.activities.map((activity) => actionOf(activity, idOf)),
    ...graph.activities.flatMap(aroundOf),
  ]
  const unique = new Map(entities.map((entity) => [entity['@id'], entity]))
  const context = ['https://w3id.org/ro/crate/1.1/context', { sha256: 'https://schema.org/sha256' }]
  const document = { '@context': context, '@graph': [...unique.values()] }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** What the platform does not know it does not claim: the licence of the files is for people to add. */
function rootOf(
  name: string,
  { subject, files, activities, truncated, broken }: ProvenanceGraph,
  written: ReadonlyMap<string, CrateFile>,
  idOf: (file: GraphFile) => string,
): Entity {
  const limits = [
    truncated && 'The chain goes on; it is cut here.',
    broken !== '' && `The chain cannot go on somewhere: ${broken}.`,
    written.size < files.length && 'Some contents are not kept any more.',
  ].filter((text) => text !== false)
  const parts = files.filter(({ key }) => written.has(key)).map((file) => ({ '@id': idOf(file) }))
  return {
    '@id': './',
    '@type': 'Dataset',
    name: `How ${name} was made`,
    description: [
      `${subject.path} with everything that is known to have led to it, as events prove it.`,
      ...limits,
    ].join(' '),
    datePublished: subject.at === '' ? (activities[0]?.endedAt ?? '') : subject.at,
    license: 'Not stated: the platform does not know the licence of these files.',
    mainEntity: { '@id': idOf(subject) },
    hasPart: uniqueIds(parts),
    mentions: activities.map((activity) => ({ '@id': actionId(activity) })),
  }
}

function fileEntity(
  file: GraphFile,
  written: CrateFile | undefined,
  { versions }: ProvenanceGraph,
  id: string,
): Entity {
  const version = versions.find(
    ({ revisionId, sha256 }) => revisionId === file.revisionId && sha256 === file.sha256,
  )
  const described = {
    name: file.path,
    sha256: file.sha256,
    encodingFormat: encodingFormatOf(file.path, version?.mediaType),
    identifier: file.revisionId === '' ? `sha256:${file.sha256}` : file.revisionId,
    ...(version && { version: `${version.name} version ${version.version}` }),
    ...(file.at !== '' && { dateCreated: file.at }),
    description: `origin: ${file.origin}`,
  }
  if (!written)
    return { '@id': id, '@type': 'CreativeWork', ...described, disambiguatingDescription: lost }
  return { '@id': id, '@type': 'File', ...described, contentSize: String(written.sizeBytes) }
}

const lost = 'Its content is not kept any more, or was never recorded: only its digest is known.'

function actionOf(activity: GraphActivity, idOf: (file: GraphFile) => string): Entity {
  const { name, kind, execution, callId, agentId, startedAt, endedAt, event } = activity
  const failed = execution !== undefined && execution.state !== 'completed'
  const instruments = [toolId(activity), ...(execution ? [environmentId(execution)] : [])]
  return {
    '@id': actionId(activity),
    '@type': 'CreateAction',
    name: `${name === '' ? kind : name} (call ${callId})`,
    ...(execution && { description: execution.command }),
    instrument: instruments.map((id) => ({ '@id': id })),
    object: uniqueIds(activity.uses.map(({ file }) => ({ '@id': idOf(file) }))),
    result: uniqueIds(activity.made.map((file) => ({ '@id': idOf(file) }))),
    ...(agentId !== '' && { agent: { '@id': `#${agentId}` } }),
    startTime: startedAt,
    endTime: endedAt,
    actionStatus: {
      '@id': `http://schema.org/${failed ? 'FailedActionStatus' : 'CompletedActionStatus'}`,
    },
    identifier: event,
  }
}

/** What an action was done with and by whom. */
function aroundOf(activity: GraphActivity): readonly Entity[] {
  const { name, kind, execution, agentId, model } = activity
  const tool = name === '' ? kind : name
  const software = { '@type': 'SoftwareApplication' }
  const status = (what: string): Entity => ({
    '@id': `http://schema.org/${what}ActionStatus`,
    '@type': 'ActionStatusType',
    name: what,
  })
  return [
    { '@id': toolId(activity), ...software, name: tool },
    status('Completed'),
    status('Failed'),
    ...(execution
      ? [
          {
            '@id': environmentId(execution),
            ...software,
            name: `environment ${execution.environment.id}`,
            softwareVersion: execution.environment.revision,
          },
        ]
      : []),
    ...(agentId === ''
      ? []
      : [
          {
            '@id': `#${agentId}`,
            ...software,
            name: model === '' ? agentId : `${agentId} (${model})`,
          },
        ]),
  ]
}

function actionId({ key }: GraphActivity): string {
  return `#action-${key}`
}

function toolId({ name, kind }: GraphActivity): string {
  return `#tool-${encodeURIComponent(name === '' ? kind : name)}`
}

function environmentId({ environment }: NonNullable<GraphActivity['execution']>): string {
  return `#environment-${encodeURIComponent(environment.id)}-${encodeURIComponent(environment.revision)}`
}

function encodedId(place: string): string {
  return place.split('/').map(encodeURIComponent).join('/')
}

function uniqueIds(references: readonly { readonly '@id': string }[]): readonly Entity[] {
  return [...new Map(references.map((reference) => [reference['@id'], reference])).values()]
}

import type { GraphActivity, GraphFile, GraphVersion, ProvenanceGraph } from './provenance-graph.js'

type Attributes = Readonly<Record<string, unknown>>
type Records = Record<string, Attributes>

/** The relations of PROV-JSON that are used here. */
interface Relations {
  readonly used: Records
  readonly wasGeneratedBy: Records
  readonly wasDerivedFrom: Records
  readonly wasAssociatedWith: Records
  readonly wasAttributedTo: Records
}

/** How a file came to be, as PROV-JSON (W3C member submission of 2013). Every relation cites its event. */
export function provJson(graph: ProvenanceGraph): string {
  const relations: Relations = {
    used: {},
    wasGeneratedBy: {},
    wasDerivedFrom: {},
    wasAssociatedWith: {},
    wasAttributedTo: {},
  }
  for (const activity of graph.activities) relate(relations, activity)
  for (const version of graph.versions) relateVersion(relations, version, graph)
  const document = {
    prefix: { sd: 'urn:sciencediscovery:' },
    entity: entitiesOf(graph),
    activity: Object.fromEntries(graph.activities.map((one) => [activityId(one), activityOf(one)])),
    agent: agentsOf(graph.activities),
    ...relations,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function entitiesOf(graph: ProvenanceGraph): Records {
  const { subject, files, versions } = graph
  const entities: Records = {}
  for (const file of files) {
    entities[fileId(file)] = {
      'prov:label': file.path,
      'sd:path': file.path,
      'sd:sha256': file.sha256,
      'sd:origin': file.origin,
      ...(file.key === subject.key && {
        'sd:truncated': graph.truncated,
        ...(graph.broken !== '' && { 'sd:broken': graph.broken }),
      }),
    }
  }
  for (const version of versions) {
    entities[versionId(version)] = {
      'prov:label': `${version.name} version ${version.version}`,
      'prov:type': qualified('sd:ArtifactVersion'),
      'sd:sha256': version.sha256,
    }
  }
  return entities
}

function activityOf(activity: GraphActivity): Attributes {
  const { startedAt, endedAt, execution, moved, name, kind, callId, possibleInputs } = activity
  return {
    ...(startedAt !== '' && { 'prov:startTime': startedAt }),
    ...(endedAt !== '' && { 'prov:endTime': endedAt }),
    'prov:type': qualified(`sd:${moved ? 'move' : kind}`),
    'prov:label': name === '' ? kind : name,
    'sd:call': callId,
    'sd:event': activity.event,
    'sd:possibleInputs': possibleInputs,
    ...(execution && {
      'sd:command': execution.command,
      'sd:state': execution.state,
      'sd:environment': `${execution.environment.id}@${execution.environment.revision}`,
      ...(execution.exitCode !== null && { 'sd:exitCode': execution.exitCode }),
    }),
  }
}

function agentsOf(activities: readonly GraphActivity[]): Records {
  const agents: Records = {}
  for (const { agentId, model } of activities) {
    if (agentId === '') continue
    agents[agentName(agentId)] = {
      'prov:type': qualified('prov:SoftwareAgent'),
      'prov:label': agentId,
      ...(model !== '' && { 'sd:model': model }),
    }
  }
  return agents
}

function relate(relations: Relations, activity: GraphActivity): void {
  const by = activityId(activity)
  const cited = { 'sd:event': activity.event }
  for (const { file, evidence } of activity.uses) {
    const use = { 'prov:activity': by, 'prov:entity': fileId(file), 'sd:evidence': evidence }
    add(relations.used, { ...use, ...cited })
  }
  for (const file of activity.made) relateMade(relations, activity, file)
  if (activity.agentId === '') return
  const agent = { 'prov:agent': agentName(activity.agentId) }
  add(relations.wasAssociatedWith, { 'prov:activity': by, ...agent, ...cited })
  for (const file of activity.made)
    add(relations.wasAttributedTo, { 'prov:entity': fileId(file), ...agent, ...cited })
}

function relateMade(relations: Relations, activity: GraphActivity, file: GraphFile): void {
  const by = activityId(activity)
  const cited = { 'sd:event': activity.event }
  add(relations.wasGeneratedBy, { 'prov:entity': fileId(file), 'prov:activity': by, ...cited })
  for (const { file: used, evidence } of activity.uses) {
    add(relations.wasDerivedFrom, {
      'prov:generatedEntity': fileId(file),
      'prov:usedEntity': fileId(used),
      'prov:activity': by,
      'sd:evidence': evidence,
      ...cited,
    })
  }
}

/** A version holds the content of a revision; one whose revision is not in the graph stands alone. */
function relateVersion(
  relations: Relations,
  version: GraphVersion,
  { files }: ProvenanceGraph,
): void {
  const held = files.find(
    ({ revisionId }) => revisionId !== '' && revisionId === version.revisionId,
  )
  if (!held) return
  add(relations.wasDerivedFrom, {
    'prov:generatedEntity': versionId(version),
    'prov:usedEntity': fileId(held),
    'prov:type': qualified('sd:Declaration'),
    ...(version.event && { 'sd:event': `${version.event.stream}#${version.event.position}` }),
  })
}

/** Relations have no names of their own: they are numbered within their kind. */
function add(records: Records, attributes: Attributes): void {
  records[`_:n${Object.keys(records).length + 1}`] = attributes
}

function fileId({ key }: GraphFile): string {
  return `sd:${key}`
}

function versionId({ versionId: id }: GraphVersion): string {
  return `sd:${id}`
}

function activityId({ key }: GraphActivity): string {
  return `sd:activity-${key}`
}

function agentName(agentId: string): string {
  return `sd:${agentId}`
}

function qualified(name: string): Attributes {
  return { $: name, type: 'prov:QUALIFIED_NAME' }
}

import { createHash } from 'node:crypto'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'

const EventSchema = z.object({ stream: z.string(), position: z.number() })
const TextSchema = z.string().default('')

const RevisionSchema = z.object({
  id: z.string(),
  path: z.string(),
  sha256: z.string(),
  origin: z.string(),
  parentRevisionId: z.string().nullish(),
  at: TextSchema,
  event: EventSchema.nullish(),
})

const ActivitySchema = z.object({
  callId: TextSchema,
  kind: z.string(),
  event: EventSchema,
  runId: TextSchema,
  name: TextSchema,
  agentId: TextSchema,
  model: TextSchema,
  at: TextSchema,
  moved: z.object({ fromPath: z.string(), toPath: z.string() }).optional(),
  execution: z
    .object({
      id: z.string(),
      state: z.string(),
      exitCode: z.number().nullable(),
      command: z.string(),
      environment: z.object({ id: z.string(), revision: z.string() }),
      startedAt: z.string(),
      finishedAt: z.string(),
    })
    .optional(),
  inputs: z.array(
    z.object({
      path: z.string(),
      sha256: z.string(),
      origin: z.string(),
      evidence: z.string(),
      revisionId: TextSchema,
    }),
  ),
  inputsOmitted: z.number().default(0),
  outputs: z
    .array(z.object({ path: z.string(), sha256: z.string(), revisionId: z.string() }))
    .default([]),
})
type RecordedActivity = z.infer<typeof ActivitySchema>

const VersionSchema = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  versionId: z.string(),
  sha256: z.string(),
  mediaType: TextSchema,
  revisionId: TextSchema,
  event: EventSchema.optional(),
})
/** A declared version of an artifact. */
export type GraphVersion = z.infer<typeof VersionSchema>

const RecordSchema = z.object({
  path: z.string(),
  origin: z.string(),
  revisionId: TextSchema,
  artifact: VersionSchema.optional(),
  revisions: z.array(RevisionSchema),
  artifactVersions: z.array(VersionSchema).default([]),
  upstream: z.array(ActivitySchema),
  truncated: z.boolean().default(false),
  broken: z.boolean().default(false),
  reason: TextSchema,
})

/** A content of a file. */
export interface GraphFile {
  /** Unique in the graph, and safe in names of any format. */
  readonly key: string
  /** Empty when nothing recorded how it came there. */
  readonly revisionId: string
  readonly path: string
  readonly sha256: string
  readonly origin: string
  /** When it came to be; empty when that is not told. */
  readonly at: string
}

/** A file that was used, and how sure that is. */
export interface GraphUse {
  readonly file: GraphFile
  readonly evidence: string
}

/** What a call or an execution did. */
export interface GraphActivity extends Pick<
  RecordedActivity,
  'callId' | 'kind' | 'name' | 'runId' | 'agentId' | 'model' | 'execution' | 'moved'
> {
  readonly key: string
  /** Where the event is that says so: `runs/<id>#<position>`. */
  readonly event: string
  readonly startedAt: string
  readonly endedAt: string
  readonly uses: readonly GraphUse[]
  /** So many files could have been read beside: they are counted, not claimed. */
  readonly possibleInputs: number
  readonly made: readonly GraphFile[]
}

/** How a file came to be, ready to be written in other formats. */
export interface ProvenanceGraph {
  readonly subject: GraphFile
  /** The subject first, then as they are met on the way back. */
  readonly files: readonly GraphFile[]
  readonly activities: readonly GraphActivity[]
  readonly versions: readonly GraphVersion[]
  readonly truncated: boolean
  /** Why the chain cannot go on somewhere; empty when it is whole. */
  readonly broken: string
}

/** The graph in the service's JSON. */
export function parseGraph(detailsJson: string): ProvenanceGraph {
  const record = parsed(detailsJson)
  const files = new Map<string, GraphFile>()
  const known = new Map(record.revisions.map((revision) => [revision.id, revision]))
  const fileOf = (
    found: Pick<GraphFile, 'path' | 'sha256' | 'revisionId' | 'origin'>,
  ): GraphFile => {
    const key = keyOf(found)
    const file = files.get(key) ?? { ...found, key, at: known.get(found.revisionId)?.at ?? '' }
    files.set(key, file)
    return file
  }
  const subject = fileOf(subjectOf(record))
  const activities = record.upstream.map((activity) => toActivity(activity, fileOf, known))
  return {
    subject,
    files: [...files.values()],
    activities,
    versions: record.artifactVersions,
    truncated: record.truncated,
    broken: record.broken ? record.reason : '',
  }
}

type FileOf = (found: Pick<GraphFile, 'path' | 'sha256' | 'revisionId' | 'origin'>) => GraphFile

function toActivity(
  activity: RecordedActivity,
  fileOf: FileOf,
  known: ReadonlyMap<string, z.infer<typeof RevisionSchema>>,
): GraphActivity {
  const { inputs, outputs, inputsOmitted, event, at, execution, moved, ...rest } = activity
  const certain = inputs.filter(({ evidence }) => evidence !== 'possible')
  return {
    ...rest,
    execution,
    moved,
    key: hashOf(`${rest.runId}\n${rest.callId}\n${execution?.id ?? ''}\n${moved?.toPath ?? ''}`),
    event: `${event.stream}#${event.position}`,
    startedAt: execution?.startedAt ?? at,
    endedAt: execution?.finishedAt ?? at,
    uses: certain.map(({ evidence, ...input }) => ({ file: fileOf(input), evidence })),
    possibleInputs: inputs.length - certain.length + inputsOmitted,
    made: outputs.map((output) =>
      fileOf({ ...output, origin: known.get(output.revisionId)?.origin ?? 'agent' }),
    ),
  }
}

/** The last revision is the one that was asked about; an artifact's content may have none. */
function subjectOf(record: z.infer<typeof RecordSchema>) {
  const { revisions, artifact, path, origin } = record
  const newest = revisions.at(-1)
  if (newest) {
    return { path: newest.path, sha256: newest.sha256, revisionId: newest.id, origin }
  }
  return { path, sha256: artifact?.sha256 ?? '', revisionId: '', origin }
}

function keyOf({
  revisionId,
  path,
  sha256,
}: Pick<GraphFile, 'revisionId' | 'path' | 'sha256'>): string {
  return revisionId === '' ? `content-${hashOf(`${sha256}\n${path}`)}` : revisionId
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function parsed(detailsJson: string): z.infer<typeof RecordSchema> {
  try {
    return RecordSchema.parse(JSON.parse(detailsJson))
  } catch (cause) {
    throw new PlatformError('bug', 'the provenance record cannot be read', {
      remedy: 'use a scid of the same release as the stack',
      cause,
    })
  }
}

import { z } from 'zod'
import { count, some } from './words.js'

/** Provenance as its view tells it; what is added there later passes through. */
export const ProvenanceSchema = z.looseObject({
  origin: z.string(),
  fileId: z.string(),
  /** Oldest first. */
  revisions: z.array(
    z.looseObject({
      id: z.string(),
      path: z.string(),
      sha256: z.string().nullish(),
      origin: z.string(),
      callId: z.string().nullish(),
      parentRevisionId: z.string().nullish(),
    }),
  ),
  upstream: z.array(
    z.looseObject({
      callId: z.string().nullish(),
      kind: z.string(),
      inputs: z.array(
        z.looseObject({
          path: z.string(),
          sha256: z.string().nullish(),
          origin: z.string().nullish(),
          evidence: z.string(),
        }),
      ),
    }),
  ),
  truncated: z.boolean().optional(),
  /** The file is gone from the workspace. */
  deleted: z.boolean().optional(),
  session: z.looseObject({ state: z.string() }).optional(),
  /** Views that had not seen everything yet. */
  behind: z.array(z.string()).optional(),
})
type Provenance = z.infer<typeof ProvenanceSchema>
type Activity = Provenance['upstream'][number]

const mostRevisions = 10
const mostActivities = 20
const mostInputs = 12

/** The answer to "how was this made", for a model. */
export function provenanceText(path: string, provenance: Provenance): string {
  const { origin, fileId, revisions, upstream } = provenance
  const lines = [
    `${path}: origin ${origin}, ${count(revisions.length, 'revision')}, file ${fileId}`,
  ]
  lines.push(...cautions(provenance))
  const left = revisions.length - mostRevisions
  if (left > 0) lines.push(`[${left} older revisions are not shown]`)
  for (const { id, sha256, origin: from, callId } of revisions.slice(-mostRevisions)) {
    lines.push(`revision ${id}: ${from}${by(callId)}${digest(sha256)}`)
  }
  for (const activity of upstream.slice(0, mostActivities)) lines.push(activityText(activity))
  if (upstream.length > mostActivities || provenance.truncated === true) {
    lines.push('[the chain goes on; ask for the provenance of an input to follow it]')
  }
  return lines.join('\n')
}

/** What a reader must know before trusting the answer. */
function cautions({ origin, session, deleted, behind }: Provenance): string[] {
  const state = session?.state
  return [
    origin === 'unknown' &&
      'Nothing recorded proves where it comes from. Say that it is unknown; do not guess.',
    (state === 'deleted' || state === 'archived') && `Its session is ${state}.`,
    deleted === true && 'The file is gone from the workspace.',
    behind !== undefined && '[the newest events may be missing here; ask again in a moment]',
  ].filter((line) => line !== false)
}

function activityText({ kind, callId, inputs }: Activity): string {
  const used = inputs.filter((input) => input.evidence !== 'possible').map(inputText)
  const possible = inputs.length - used.length
  const from = used.length === 0 ? 'no proven input' : some(used, mostInputs)
  const more = possible === 0 ? '' : `; ${count(possible, 'further file')} could have been read`
  return `made by ${kind}${by(callId)} from ${from}${more}`
}

function inputText({ path, origin, evidence, sha256 }: Activity['inputs'][number]): string {
  return `${path} (${origin ?? 'unknown'}, ${evidence}${digest(sha256)})`
}

function by(callId: string | null | undefined): string {
  return callId === undefined || callId === null || callId === '' ? '' : ` by call ${callId}`
}

function digest(sha256: string | null | undefined): string {
  return sha256 === undefined || sha256 === null ? '' : ` sha256 ${sha256.slice(0, 12)}`
}

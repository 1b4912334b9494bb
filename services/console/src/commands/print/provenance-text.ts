import type { Palette } from '../../context.js'
import { printable } from './printable.js'
import { createChain } from './provenance-chain.js'
import type {
  ProvenanceActivity,
  ProvenanceRecord,
  ProvenanceRevision,
} from './provenance-record.js'
import { facts, shortDigest } from './provenance-words.js'
import { drawTree } from './tree.js'

/** "How was this made": the file, the call that made it, what that read, and so on backwards. */
export function provenanceText(name: string, record: ProvenanceRecord, colors: Palette): string {
  const { revisions, upstream } = record
  const newest = revisions.at(-1)
  const shown = new Set<ProvenanceActivity>()
  const chain = createChain(upstream, shown, colors)
  const maker = newest && upstream.find((activity) => isMakerOf(activity, newest))
  const main = drawTree({
    line: titleLine(name, record, colors),
    below: maker ? [chain(maker)] : [{ line: colors.dim(withoutMaker(record.origin)), below: [] }],
  })
  const further = upstream.flatMap((activity) =>
    shown.has(activity) ? [] : [drawTree(chain(activity))],
  )
  return [
    main,
    ...(further.length > 0 ? ['further upstream:\n', ...further] : []),
    ...warnings(record).map((text) => `${colors.yellow(text)}\n`),
    history(revisions, colors),
  ].join('')
}

function isMakerOf(
  { outputs, ...activity }: ProvenanceActivity,
  { id, callId, runId }: ProvenanceRevision,
): boolean {
  if (outputs.length > 0) return outputs.some(({ revisionId }) => revisionId === id)
  return callId !== '' && activity.callId === callId && (runId === '' || activity.runId === runId)
}

function titleLine(name: string, record: ProvenanceRecord, colors: Palette): string {
  const { artifact, revisions, origin } = record
  const newest = revisions.at(-1)
  const digest = shortDigest(newest?.sha256 ?? artifact?.sha256)
  const title = artifact ? `${artifact.name} version ${artifact.version}` : (newest?.path ?? name)
  const count = revisions.length === 1 ? '1 revision' : `${revisions.length} revisions`
  return `${colors.bold(printable(title))} ${facts([digest, origin, count], colors)}`
}

function withoutMaker(origin: string): string {
  if (origin === 'unknown') return 'how it was made is unknown: nothing recorded proves it'
  return origin === 'upload' ? 'uploaded by a person' : 'no call is known that made it'
}

function warnings(record: ProvenanceRecord): readonly string[] {
  const { truncated, deleted, movedTo, reason, behind } = record
  const gone = movedTo === undefined ? 'deleted since' : `moved to ${printable(movedTo)}`
  return [
    ...(deleted ? [`the file was ${gone}`] : []),
    ...(reason === '' ? [] : [`the chain breaks: ${reason}`]),
    ...(truncated ? ['the chain goes on; it is cut here'] : []),
    ...(behind.length > 0 ? ['the newest facts are not in yet; ask again'] : []),
  ]
}

function history(revisions: readonly ProvenanceRevision[], colors: Palette): string {
  if (revisions.length < 2) return ''
  const lines = revisions.map(({ path, sha256, origin, callId }, index) => {
    const by = callId === '' ? '' : `call ${callId}`
    return `  ${index + 1} ${printable(path)} ${facts([shortDigest(sha256), origin, by], colors)}\n`
  })
  return `revisions, oldest first:\n${lines.join('')}`
}

import type { Palette } from '../../context.js'
import { printable, shortened } from './printable.js'
import type {
  ProvenanceActivity,
  ProvenanceInput,
  ProvenanceRecord,
  ProvenanceRevision,
} from './provenance-record.js'

/** A line and what hangs below it. */
interface Node {
  readonly line: string
  readonly below: readonly Node[]
}

/** "How was this made": the file, the call that made it, what that read, and so on backwards. */
export function provenanceText(name: string, record: ProvenanceRecord, colors: Palette): string {
  const { revisions, upstream, truncated } = record
  const newest = revisions.at(-1)
  const shown = new Set<ProvenanceActivity>()
  const chain = createChain(upstream, shown, colors)
  const maker = upstream.find(({ callId }) => callId === newest?.callId)
  const root = {
    line: `${colors.bold(printable(newest?.path ?? name))} ${facts([short(newest?.sha256), record.origin, revisionCount(revisions)], colors)}`,
    below: maker ? [chain(maker)] : [{ line: colors.dim(unmade(record.origin)), below: [] }],
  }
  const main = draw(root)
  const rest = upstream.filter((activity) => !shown.has(activity))
  const further = rest.map((activity) => draw(chain(activity)))
  return [
    main,
    ...(further.length > 0 ? [`further upstream:\n${further.join('')}`] : []),
    ...(truncated ? [colors.yellow('the chain goes on; it is cut here\n')] : []),
    history(revisions, colors),
  ].join('')
}

type Chain = (activity: ProvenanceActivity) => Node

function createChain(
  upstream: readonly ProvenanceActivity[],
  shown: Set<ProvenanceActivity>,
  colors: Palette,
): Chain {
  const makers = new Map(
    upstream.flatMap((activity) => activity.outputs.map((file) => [keyOf(file), activity] as const)),
  )
  const ofInput = (input: ProvenanceInput): Node => {
    const maker = makers.get(keyOf(input))
    const followed = input.evidence !== 'possible' && maker !== undefined
    const line = `${printable(input.path)} ${facts([short(input.sha256), input.origin, input.evidence], colors)}`
    return { line, below: followed ? [chain(maker)] : [] }
  }
  const chain: Chain = (activity) => {
    const known = shown.has(activity)
    shown.add(activity)
    const line = activityLine(activity, colors)
    if (known) return { line: `${line} ${colors.dim('(see above)')}`, below: [] }
    const certain = activity.inputs.filter(({ evidence }) => evidence !== 'possible')
    return { line, below: [...certain.map(ofInput), ...possibleInputs(activity, colors)] }
  }
  return chain
}

/** What could have been read is counted, not listed: it is most of the workspace. */
function possibleInputs({ inputs }: ProvenanceActivity, colors: Palette): readonly Node[] {
  const possible = inputs.filter(({ evidence }) => evidence === 'possible')
  if (possible.length === 0) return []
  const names = possible.slice(0, 3).map(({ path }) => printable(path))
  const more = possible.length > names.length ? ', …' : ''
  const line = colors.dim(`${possible.length} more possible: ${names.join(', ')}${more}`)
  return [{ line, below: [] }]
}

function activityLine(activity: ProvenanceActivity, colors: Palette): string {
  const { callId, kind, name, command, event } = activity
  const what = command === '' ? (name === '' ? kind : name) : command
  const place = `${event.stream}#${event.position}`
  return `made by ${colors.cyan(printable(shortened(what, 100)))} ${facts([`call ${callId}`, place], colors)}`
}

function unmade(origin: string): string {
  if (origin === 'unknown') return 'how it was made is unknown: it changed behind the platform'
  return origin === 'upload' ? 'uploaded by a person' : 'no call is known that made it'
}

function history(revisions: readonly ProvenanceRevision[], colors: Palette): string {
  if (revisions.length < 2) return ''
  const lines = revisions.map(({ path, sha256, origin, callId }, index) => {
    const by = callId === undefined || callId === null || callId === '' ? '' : `call ${callId}`
    return `  ${index + 1} ${printable(path)} ${facts([short(sha256), origin, by], colors)}\n`
  })
  return `revisions, oldest first:\n${lines.join('')}`
}

function revisionCount(revisions: readonly ProvenanceRevision[]): string {
  return revisions.length === 1 ? '1 revision' : `${revisions.length} revisions`
}

function facts(words: readonly string[], colors: Palette): string {
  const present = words.filter((word) => word !== '').map(printable)
  return colors.dim(`[${present.join(' · ')}]`)
}

function short(sha256: string | null | undefined): string {
  return sha256?.slice(0, 12) ?? 'deleted'
}

function keyOf({ path, sha256 }: { readonly path: string; readonly sha256?: string | null | undefined }): string {
  return `${sha256 ?? ''} ${path}`
}

function draw(node: Node): string {
  const lines = (at: Node, before: string): string[] =>
    at.below.flatMap((child, index) => {
      const last = index === at.below.length - 1
      const head = `${before}${last ? '└─ ' : '├─ '}${child.line}`
      return [head, ...lines(child, `${before}${last ? '   ' : '│  '}`)]
    })
  return [node.line, ...lines(node, '')].map((line) => `${line}\n`).join('')
}

import type { Palette } from '../../context.js'
import { printable, shortened } from './printable.js'
import type { ProvenanceActivity, ProvenanceInput } from './provenance-record.js'
import { facts, shortDigest } from './provenance-words.js'
import type { TreeNode } from './tree.js'

/** Draws a call with its inputs and the calls that made those. */
export type Chain = (activity: ProvenanceActivity) => TreeNode

/** Each call is told in full once, where it is met first; possible inputs are not followed. */
export function createChain(
  upstream: readonly ProvenanceActivity[],
  shown: Set<ProvenanceActivity>,
  colors: Palette,
): Chain {
  const ofInput = (input: ProvenanceInput, reader: ProvenanceActivity): TreeNode => {
    const maker = makerOf(input, reader, upstream)
    const words = [shortDigest(input.sha256), input.origin, input.evidence]
    return {
      line: `${printable(input.path)} ${facts(words, colors)}`,
      below: maker ? [chain(maker)] : [],
    }
  }
  const chain: Chain = (activity) => {
    const line = activityLine(activity, colors)
    if (shown.has(activity)) return { line: `${line} ${colors.dim('(see above)')}`, below: [] }
    shown.add(activity)
    const certain = activity.inputs.filter(({ evidence }) => evidence !== 'possible')
    const inputs = certain.map((input) => ofInput(input, activity))
    return { line, below: [...inputs, ...possibleInputs(activity, colors)] }
  }
  return chain
}

/** The record goes backwards, so a maker comes after its reader; call ids repeat from run to run. */
function makerOf(
  { callId, runId, revisionId }: ProvenanceInput,
  reader: ProvenanceActivity,
  upstream: readonly ProvenanceActivity[],
): ProvenanceActivity | undefined {
  const told = upstream.find(({ outputs }) =>
    outputs.some((made) => made.revisionId === revisionId),
  )
  if (revisionId !== '' && told) return told
  if (callId === '') return undefined
  const matches = upstream.filter(
    (activity) =>
      activity.callId === callId &&
      (runId === '' || activity.runId === runId) &&
      activity !== reader,
  )
  const place = upstream.indexOf(reader)
  return matches.find((activity) => upstream.indexOf(activity) > place) ?? matches[0]
}

/** What could have been read is counted, not listed: it is most of the workspace. */
function possibleInputs(
  { inputs, inputsOmitted }: ProvenanceActivity,
  colors: Palette,
): readonly TreeNode[] {
  const possible = inputs.filter(({ evidence }) => evidence === 'possible')
  const count = possible.length + inputsOmitted
  if (count === 0) return []
  const names = possible.slice(0, 3).map(({ path }) => printable(path))
  const more = count > names.length ? ['…'] : []
  return [
    { line: colors.dim(`${count} more possible: ${[...names, ...more].join(', ')}`), below: [] },
  ]
}

function activityLine(activity: ProvenanceActivity, colors: Palette): string {
  const { callId, kind, name, execution, event, moved } = activity
  const command = execution?.command ?? ''
  const what = [command, name, kind].find((text) => text !== '') ?? ''
  const words = [`call ${callId}`, `${event.stream}#${event.position}`]
  return `${moved ? 'moved' : 'made'} by ${colors.cyan(printable(shortened(what, 100)))} ${facts(words, colors)}`
}

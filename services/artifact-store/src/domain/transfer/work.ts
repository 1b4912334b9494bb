import { refused } from '@sciencediscovery/kernel'
import { type EndCancelled, type FixContents, type SettleFile } from './commands.js'
import { type TransferEvent } from './events.js'
import { endOf, factOf, fileFactOf, fileFailed, outcomeOf } from './facts.js'
import { bornOf, isGoingOn, type BornTransfer, type TransferState } from './state.js'

/** What is copied becomes fixed; files that the source does not have fail at once. */
export function fixContents(
  { attempt, found, at }: FixContents,
  state: TransferState,
): readonly TransferEvent[] {
  const born = workedOn(attempt, state)
  if (born?.status !== 'queued') return []
  const contents = found.flatMap((one, index) => ('sha256' in one ? [{ index, ...one }] : []))
  const failed = found.flatMap((one, index) =>
    'sha256' in one ? [] : [fileFailed(born, index, { ...one, at })],
  )
  const started: TransferEvent = {
    type: 'transfer.started',
    v: 1,
    data: { ...factOf(born.order, 'started', at), attempt, contents },
  }
  const ends =
    contents.length === 0 ? [endOf(born, failed, { kind: 'failed', reason: '', at })] : []
  return [started, ...failed, ...ends]
}

/** One file has its outcome; with the last one, or when the end was asked for, the transfer has. */
export function settleFile(
  { attempt, index, outcome, at }: SettleFile,
  state: TransferState,
): readonly TransferEvent[] {
  const born = workedOn(attempt, state)
  const file = born?.files[index]
  if (!born || file?.status !== 'pending' || !file.content) return []
  const settled = outcome.ok
    ? {
        type: 'transfer.file.completed' as const,
        v: 1 as const,
        data: {
          ...fileFactOf(born, index, at),
          ...{ targetPath: outcome.targetPath, ...file.content },
        },
      }
    : fileFailed(born, index, { reason: outcome.reason, message: outcome.message, at })
  const changes = outcome.ok ? outcome.changes : []
  const left = born.files.filter(({ status }) => status === 'pending').length - 1
  if (left === 0) {
    const kind = outcomeOf(born, [settled])
    return [...changes, settled, endOf(born, [settled], { kind, reason: '', at })]
  }
  if (!born.cancelRequested) return [...changes, settled]
  const kind = 'cancelled'
  return [...changes, settled, endOf(born, [settled], { kind, reason: kind, at })]
}

/** Ends a transfer whose end was asked for while nothing is under way. */
export function endCancelled(
  { attempt, at }: EndCancelled,
  state: TransferState,
): readonly TransferEvent[] {
  const born = workedOn(attempt, state)
  if (born?.cancelRequested !== true) return []
  return [endOf(born, [], { kind: 'cancelled', reason: 'cancelled', at })]
}

/** The transfer as far as the one with this attempt may work on it; undefined when there is nothing left to do. */
function workedOn(attempt: number, state: TransferState): BornTransfer | undefined {
  const born = bornOf(state)
  if (!born || !isGoingOn(born)) return undefined
  if (born.attempt === attempt) return born
  throw refused(`attempt ${attempt} of ${born.order.transferId} is over`, {
    reason: 'stale_attempt',
    remedy: `attempt ${born.attempt} works on it`,
  })
}

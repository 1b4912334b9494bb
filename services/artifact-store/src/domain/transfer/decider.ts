import { type Decider, exhaustive, refused } from '@sciencediscovery/kernel'
import { type CancelTransfer, type GiveUpTransfer, type QueueTransfer } from './commands.js'
import { type TakeTransfer, type TransferCommand } from './commands.js'
import { type TransferEvent } from './events.js'
import { evolveTransfer } from './evolve.js'
import { endOf, factOf, fileFailed } from './facts.js'
import { endCancelled, fixContents, settleFile } from './work.js'
import { bornOf, isGoingOn, nextFileOf, type TransferState } from './state.js'

/**
 * Invariants: a transfer is asked for once; each file and the transfer have one outcome; who works on it carries
 * the newest attempt, all others are refused; what is copied is fixed once; nothing happens after the end.
 */
export const transferDecider: Decider<TransferState, TransferCommand, TransferEvent> = {
  initialState: () => ({ status: 'unborn' }),
  decide(command, state) {
    switch (command.type) {
      case 'QueueTransfer':
        return queueTransfer(command, state)
      case 'TakeTransfer':
        return takeTransfer(command, state)
      case 'FixContents':
        return fixContents(command, state)
      case 'SettleFile':
        return settleFile(command, state)
      case 'CancelTransfer':
        return cancelTransfer(command, state)
      case 'EndCancelled':
        return endCancelled(command, state)
      case 'GiveUpTransfer':
        return giveUp(command, state)
      default:
        return exhaustive(command)
    }
  },
  evolve: evolveTransfer,
}

function queueTransfer(
  { order, at }: QueueTransfer,
  state: TransferState,
): readonly TransferEvent[] {
  if (state.status === 'refused')
    throw refused('the transfer was cancelled before it was asked for', { reason: 'cancelled' })
  if (state.status !== 'unborn') return []
  const fact = factOf(order, 'queued', at)
  return [{ type: 'transfer.queued', v: 1, data: { ...order, ...fact } }]
}

/** The work that is left gets a new attempt; a transfer that is to end is ended by whoever takes it up. */
function takeTransfer(
  { replicaId, at }: TakeTransfer,
  state: TransferState,
): readonly TransferEvent[] {
  const born = bornOf(state)
  if (!born || !isGoingOn(born)) return []
  const { transferId } = born.order
  const data = { transferId, attempt: born.attempt + 1, replicaId, at }
  const taken: TransferEvent = { type: 'transfer.attempt.started', v: 1, data }
  if (!born.cancelRequested) return [taken]
  // Its owner was lost with the end asked for: the file that was next may have come to its target, or may yet.
  const next = nextFileOf(born)
  const lost = 'the copy was under way when its owner was lost; look at the target'
  const failed =
    next === undefined ? [] : [fileFailed(born, next, { reason: 'unknown', message: lost, at })]
  return [taken, ...failed, endOf(born, failed, { kind: 'cancelled', reason: 'cancelled', at })]
}

function cancelTransfer(
  { asker, at }: CancelTransfer,
  state: TransferState,
): readonly TransferEvent[] {
  if (state.status === 'refused') return []
  const born = bornOf(state)
  const fact = factOf(born?.order ?? asker, 'cancel', at)
  const asked: TransferEvent = { type: 'transfer.cancel.requested', v: 1, data: fact }
  if (!born) return [asked]
  if (!isGoingOn(born) || born.cancelRequested) return []
  // Nobody has touched a file before what is copied is fixed.
  if (born.status === 'queued')
    return [asked, endOf(born, [], { kind: 'cancelled', reason: 'cancelled', at })]
  return [asked]
}

function giveUp({ reason, at }: GiveUpTransfer, state: TransferState): readonly TransferEvent[] {
  const born = bornOf(state)
  if (!born || !isGoingOn(born)) return []
  const next = born.status === 'running' ? nextFileOf(born) : undefined
  const message = 'it was given up; whether the file is at its target is not known'
  const failed =
    next === undefined ? [] : [fileFailed(born, next, { reason: 'unknown', message, at })]
  // Before anything was copied there is nothing that could be unknown.
  const kind = born.status === 'queued' ? 'failed' : 'unknown'
  return [...failed, endOf(born, failed, { kind, reason, at })]
}

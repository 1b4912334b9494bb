import { type TransferEnd, type TransferStarted } from '@sciencediscovery/run-events'
import { exhaustive } from '@sciencediscovery/kernel'
import { type TransferEvent } from './events.js'
import { type BornTransfer, bornOf, type TransferredFile, type TransferState } from './state.js'

/** The state after the event. */
export function evolveTransfer(state: TransferState, event: TransferEvent): TransferState {
  switch (event.type) {
    case 'transfer.queued':
      return queued(event.data)
    case 'transfer.cancel.requested':
      return change(state, (born) => ({ ...born, cancelRequested: true })) ?? { status: 'refused' }
    case 'workspace.changed':
      return state
    case 'transfer.attempt.started':
      return change(state, (born) => ({ ...born, attempt: event.data.attempt })) ?? state
    case 'transfer.started':
      return change(state, (born) => started(born, event.data)) ?? state
    case 'transfer.file.completed': {
      const { index, targetPath } = event.data
      return changeFile(state, index, { status: 'completed', targetPath })
    }
    case 'transfer.file.failed': {
      const { index, reason, message } = event.data
      return changeFile(state, index, { status: 'failed', reason, message })
    }
    case 'transfer.completed':
    case 'transfer.partial':
    case 'transfer.failed':
    case 'transfer.cancelled':
    case 'transfer.unknown':
      return change(state, (born) => ended(born, event)) ?? state
    default:
      return exhaustive(event)
  }
}

function queued({
  effectId: _effectId,
  at,
  ...order
}: Extract<TransferEvent, { type: 'transfer.queued' }>['data']): BornTransfer {
  const files = order.files.map((paths): TransferredFile => ({
    ...paths,
    ...{ status: 'pending', content: undefined, reason: '', message: '' },
  }))
  return {
    ...{ status: 'queued', order, files, attempt: 0, cancelRequested: false },
    ...{ queuedAt: at, startedAt: '', finishedAt: '', reason: '' },
  }
}

function started(born: BornTransfer, { contents, at }: TransferStarted['data']): BornTransfer {
  const byIndex = new Map(contents.map(({ index, ...content }) => [index, content] as const))
  const files = born.files.map((file, index) => ({ ...file, content: byIndex.get(index) }))
  return { ...born, status: 'running', startedAt: at, files }
}

const outcomes = {
  'transfer.completed': 'completed',
  'transfer.partial': 'partial',
  'transfer.failed': 'failed',
  'transfer.cancelled': 'cancelled',
  'transfer.unknown': 'unknown',
} as const

function ended(born: BornTransfer, { type, data: { at, reason } }: TransferEnd): BornTransfer {
  return { ...born, status: outcomes[type], finishedAt: at, reason }
}

function change(
  state: TransferState,
  to: (born: BornTransfer) => BornTransfer,
): BornTransfer | undefined {
  const born = bornOf(state)
  return born && to(born)
}

function changeFile(
  state: TransferState,
  index: number,
  fields: Partial<TransferredFile>,
): TransferState {
  const born = bornOf(state)
  if (!born) return state
  const files = born.files.map((file, at) => (at === index ? { ...file, ...fields } : file))
  return { ...born, files }
}

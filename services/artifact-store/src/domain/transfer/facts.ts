import { type TransferEnd } from '@sciencediscovery/run-events'
import { type TransferOrder } from './commands.js'
import { type TransferEvent } from './events.js'
import { type BornTransfer, type TransferOutcome } from './state.js'

type Settled = Extract<
  TransferEvent,
  { type: 'transfer.file.completed' } | { type: 'transfer.file.failed' }
>

/** What every fact of a transfer says. */
export interface Fact {
  readonly effectId: string
  readonly transferId: string
  readonly callId: string
  readonly workspaceId: string
  readonly runId?: string | undefined
  readonly at: string
}

/** A fact is named by its transfer and what it is about, so that a run records it once. */
export function factOf(
  order: Pick<TransferOrder, 'transferId' | 'callId' | 'workspaceId' | 'runId'>,
  about: string,
  at: string,
): Fact {
  const { transferId, callId, workspaceId, runId } = order
  return {
    effectId: `${transferId}:${about}`,
    ...{ transferId, callId, workspaceId, at },
    ...(runId === undefined ? {} : { runId }),
  }
}

/** What every fact of one file says. */
export function fileFactOf(
  { order, attempt, files }: BornTransfer,
  index: number,
  at: string,
): Fact & {
  attempt: number
  index: number
  sourceWorkspaceId: string
  sourcePath: string
  targetPath: string
} {
  const file = files[index]
  return {
    ...factOf(order, `file:${index}`, at),
    ...{ attempt: Math.max(1, attempt), index },
    sourceWorkspaceId: order.sourceWorkspaceId,
    sourcePath: file?.sourcePath ?? '',
    targetPath: file?.targetPath ?? '',
  }
}

/** The fact that a file failed. */
export function fileFailed(
  born: BornTransfer,
  index: number,
  why: { readonly reason: string; readonly message: string; readonly at: string },
): Settled {
  const { reason, message, at } = why
  const data = { ...fileFactOf(born, index, at), reason, message }
  return { type: 'transfer.file.failed', v: 1, data }
}

/** The end, counted over what was settled before and what the same commit settles. */
export function endOf(
  born: BornTransfer,
  settled: readonly Settled[],
  end: { readonly kind: TransferOutcome; readonly reason: string; readonly at: string },
): TransferEnd {
  const done = born.files.filter(({ status }) => status === 'completed')
  const doneNow = settled.filter(({ type }) => type === 'transfer.file.completed')
  const bytesNow = doneNow.map(({ data }) => born.files[data.index]?.content?.sizeBytes ?? 0)
  const bytes = [...done.map(({ content }) => content?.sizeBytes ?? 0), ...bytesNow]
  const failed = born.files.filter(({ status }) => status === 'failed').length
  const data = {
    ...factOf(born.order, 'end', end.at),
    completedFiles: done.length + doneNow.length,
    failedFiles: failed + settled.length - doneNow.length,
    copiedBytes: bytes.reduce((sum, one) => sum + one, 0),
    reason: end.reason,
  }
  return { type: `transfer.${end.kind}`, v: 1, data }
}

/** The end when every file was tried. */
export function outcomeOf(
  { files }: BornTransfer,
  settled: readonly Settled[],
): 'completed' | 'partial' | 'failed' {
  const completed =
    files.filter(({ status }) => status === 'completed').length +
    settled.filter(({ type }) => type === 'transfer.file.completed').length
  if (completed === files.length) return 'completed'
  return completed === 0 ? 'failed' : 'partial'
}

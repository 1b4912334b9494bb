import { type TransferOrder } from './commands.js'

/** One file of a transfer. */
export interface TransferredFile {
  readonly sourcePath: string
  /** Where it is put; as it is spelled there once it is. */
  readonly targetPath: string
  readonly status: 'pending' | 'completed' | 'failed'
  /** What is copied, once that is fixed. */
  readonly content: { readonly sha256: string; readonly sizeBytes: number } | undefined
  readonly reason: string
  readonly message: string
}

/** Where a transfer that goes on no further ended. */
export type TransferOutcome = 'completed' | 'partial' | 'failed' | 'cancelled' | 'unknown'

/** A transfer that was asked for. */
export interface BornTransfer {
  readonly status: 'queued' | 'running' | TransferOutcome
  readonly order: TransferOrder
  readonly files: readonly TransferredFile[]
  /** The newest attempt; 0 before anybody took it up. */
  readonly attempt: number
  readonly cancelRequested: boolean
  readonly queuedAt: string
  /** Empty until what is copied is fixed. */
  readonly startedAt: string
  /** Empty while it goes on. */
  readonly finishedAt: string
  readonly reason: string
}

/** `refused`: its end was asked for before it was. */
export type TransferState =
  { readonly status: 'unborn' } | { readonly status: 'refused' } | BornTransfer

/** The transfer once it was asked for. */
export function bornOf(state: TransferState): BornTransfer | undefined {
  return state.status === 'unborn' || state.status === 'refused' ? undefined : state
}

/** Whether it goes on. */
export function isGoingOn({ status }: BornTransfer): boolean {
  return status === 'queued' || status === 'running'
}

/** The first file that nothing came of so far: files are copied one after the other. */
export function nextFileOf({ files }: BornTransfer): number | undefined {
  const index = files.findIndex(({ status }) => status === 'pending')
  return index === -1 ? undefined : index
}

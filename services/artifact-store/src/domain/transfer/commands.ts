import { type TransferQueued, type WorkspaceChanged } from '@sciencediscovery/run-events'

/** What is to be copied for whom. */
export type TransferOrder = Omit<TransferQueued['data'], 'effectId' | 'at'>

/** Asks for a transfer. */
export interface QueueTransfer {
  readonly type: 'QueueTransfer'
  readonly order: TransferOrder
  readonly at: string
}

/** A replica takes the transfer up, fencing whoever had it. */
export interface TakeTransfer {
  readonly type: 'TakeTransfer'
  readonly replicaId: string
  readonly at: string
}

/** What came of looking for one file at the source. */
export type Found =
  | { readonly sha256: string; readonly sizeBytes: number }
  | { readonly reason: string; readonly message: string }

/** Fixes what is copied, file by file in the order asked for. */
export interface FixContents {
  readonly type: 'FixContents'
  readonly attempt: number
  readonly found: readonly Found[]
  readonly at: string
}

/** What came of one file. */
export interface SettleFile {
  readonly type: 'SettleFile'
  readonly attempt: number
  readonly index: number
  readonly outcome:
    | {
        readonly ok: true
        readonly targetPath: string
        /** What the put changed, as the owner of the target told it. */
        readonly changes: readonly WorkspaceChanged[]
      }
    | { readonly ok: false; readonly reason: string; readonly message: string }
  readonly at: string
}

/** Asks to end the transfer. */
export interface CancelTransfer {
  readonly type: 'CancelTransfer'
  readonly asker: Pick<TransferOrder, 'transferId' | 'callId' | 'workspaceId' | 'runId'>
  readonly at: string
}

/** The one who works on it sees that the end was asked for, with nothing under way. */
export interface EndCancelled {
  readonly type: 'EndCancelled'
  readonly attempt: number
  readonly at: string
}

/** Too many tries, or too long: it ends with what is known. */
export interface GiveUpTransfer {
  readonly type: 'GiveUpTransfer'
  readonly reason: string
  readonly at: string
}

export type TransferCommand =
  | QueueTransfer
  | TakeTransfer
  | FixContents
  | SettleFile
  | CancelTransfer
  | EndCancelled
  | GiveUpTransfer

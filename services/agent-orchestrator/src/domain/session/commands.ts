import { type QueuedRun, type SessionSettings } from './events.js'

interface By {
  /** The replica that would act. */
  readonly writer: string
  readonly now: string
}

export interface CreateSession extends By {
  readonly type: 'CreateSession'
  readonly sessionId: string
  readonly projectId: string
  readonly settings: SessionSettings
}

export interface UpdateSession extends By {
  readonly type: 'UpdateSession'
  readonly settings: SessionSettings
  readonly by: string
}

export interface ArchiveSession extends By {
  readonly type: 'ArchiveSession'
}

/** Hands an input to the session, which decides when its run starts. */
export interface SubmitInput extends By {
  readonly type: 'SubmitInput'
  readonly run: QueuedRun
}

/** Takes a queued run back before its turn comes. */
export interface WithdrawRun extends By {
  readonly type: 'WithdrawRun'
  readonly runId: string
  readonly reason: string
}

/** The active run has ended: the next one's turn comes. */
export interface EndRun extends By {
  readonly type: 'EndRun'
  readonly runId: string
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly turns: number
}

/** A call needs a decision. */
export interface RequestPermission extends By {
  readonly type: 'RequestPermission'
  readonly requestId: string
  readonly runId: string
  readonly callId: string
  readonly action: string
  readonly resource: string
  readonly summary: string
}

/** A person decides. */
export interface DecidePermission extends By {
  readonly type: 'DecidePermission'
  readonly requestId: string
  readonly decision: 'allow_once' | 'allow_matching' | 'deny'
  readonly by: string
}

export type SessionCommand =
  | CreateSession
  | UpdateSession
  | ArchiveSession
  | SubmitInput
  | WithdrawRun
  | EndRun
  | RequestPermission
  | DecidePermission

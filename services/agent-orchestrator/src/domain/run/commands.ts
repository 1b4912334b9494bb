import {
  type AskedToolCall,
  type Authorization,
  type Effect,
  type PlanItem,
  type RunStarted,
} from '@sciencediscovery/run-events'
import { type StoredJson, type StoredText } from '@sciencediscovery/run-events'

/** Every command that may lead to a request names the replica that would act, and the time. */
interface By {
  readonly writer: string
  readonly now: string
}

/** A call of the orchestrator's own tools, decided where it stands: no I/O, no request (S-23). */
export type OwnOutcome =
  | { readonly kind: 'plan'; readonly items: readonly PlanItem[]; readonly explanation?: string }
  | {
      readonly kind: 'result'
      readonly isError: boolean
      readonly text: string
      readonly details: StoredJson
    }

/** Starts the run. */
export interface StartRun extends By {
  readonly type: 'StartRun'
  readonly header: Omit<RunStarted['data'], 'at'>
  readonly message: StoredText
}

/** The model answered. */
export interface RecordModelTurn extends By {
  readonly type: 'RecordModelTurn'
  readonly turn: number
  readonly attempt: number
  readonly text: StoredText
  readonly toolCalls: readonly (AskedToolCall & { readonly own?: OwnOutcome })[]
  readonly stop: 'end' | 'tool_calls' | 'length' | 'refused'
  readonly model: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costUsd?: number
  readonly extra?: StoredJson
}

/** The model call failed. */
export interface RecordModelFailure extends By {
  readonly type: 'RecordModelFailure'
  readonly turn: number
  readonly attempt: number
  readonly reason: string
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/** The call waits for a decision of the session. */
export interface BlockCall extends By {
  readonly type: 'BlockCall'
  readonly callId: string
  readonly attempt: number
  readonly requestId: string
  readonly action: string
  readonly resource: string
  readonly summary: string
}

/** The session allowed the call. */
export interface ReleaseCall extends By {
  readonly type: 'ReleaseCall'
  readonly callId: string
  /** The try that goes on with it; the next one begins when not given. */
  readonly attempt?: number
  readonly requestId: string
  readonly authorization: Authorization
}

/** The call has a result. Attempt 0 is the session's refusal, which any attempt takes. */
export interface CompleteCall extends By {
  readonly type: 'CompleteCall'
  readonly callId: string
  readonly attempt: number
  readonly isError: boolean
  readonly text: StoredText
  readonly details: StoredJson
  readonly ref?: string
  readonly effects: readonly Effect[]
}

/** The call has no result. */
export interface FailCall extends By {
  readonly type: 'FailCall'
  readonly callId: string
  readonly attempt: number
  readonly reason: 'gave_up' | 'unknown' | 'cancelled'
  readonly message: string
}

/** Facts that came home by themselves. Accepted in every state after the start. */
export interface RecordEffects {
  readonly type: 'RecordEffects'
  readonly effects: readonly Effect[]
}

/** The replica that acted is gone: open requests get their next attempt under another name. */
export interface TakeOver extends By {
  readonly type: 'TakeOver'
}

/** Somebody wants the run to stop. */
export interface RequestCancel extends By {
  readonly type: 'RequestCancel'
  readonly reason: string
  readonly by: string
}

/** The wait for open work is over: what is left becomes unknown. */
export interface ForceEnd extends By {
  readonly type: 'ForceEnd'
}

/** The run took longer than its wall clock allows. Silence of a model is a failure of that call. */
export interface Expire extends By {
  readonly type: 'Expire'
}

export type RunCommand =
  | StartRun
  | RecordModelTurn
  | RecordModelFailure
  | BlockCall
  | ReleaseCall
  | CompleteCall
  | FailCall
  | RecordEffects
  | TakeOver
  | RequestCancel
  | ForceEnd
  | Expire

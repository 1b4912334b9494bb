import { type Buckets, type Chain } from '@sciencediscovery/kernel'
import {
  type AskedToolCall,
  type Authorization,
  type PlanItem,
  type RunStarted,
} from '@sciencediscovery/run-events'
import { type StoredJson, type StoredText, type Usage } from '@sciencediscovery/run-events'

/** One entry of the conversation, in the order the model sees it. */
export type TranscriptItem =
  | { readonly kind: 'message'; readonly role: 'user' | 'system'; readonly text: StoredText }
  | {
      readonly kind: 'turn'
      readonly text: StoredText
      readonly calls: readonly Pick<AskedToolCall, 'callId' | 'name' | 'argumentsText'>[]
      readonly extra?: StoredJson
    }
  | ({ readonly kind: 'result' } & CallResult)

/** What the model reads of a call. */
export interface CallResult {
  readonly callId: string
  readonly name: string
  readonly isError: boolean
  readonly text: StoredText
  readonly details: StoredJson
  readonly ref?: string
}

/** Where one call of the open turn is. */
export type CallStage =
  | { readonly at: 'waiting' }
  | {
      readonly at: 'requested'
      readonly attempt: number
      readonly writer: string
      readonly since: string
      readonly authorization?: Authorization
    }
  | {
      readonly at: 'blocked'
      readonly attempt: number
      readonly requestId: string
      readonly authorization?: Authorization
    }
  | { readonly at: 'settled'; readonly result: CallResult; readonly lost: boolean }

/** One call of the open turn. */
export interface OpenCall {
  readonly asked: AskedToolCall
  /** How often this tool was asked for with equal arguments, this time included. */
  readonly ordinal: number
  readonly stage: CallStage
}

/** What the run waits for. */
export type Phase =
  | {
      readonly kind: 'model'
      readonly turn: number
      readonly attempt: number
      /** Failures of this turn so far. */
      readonly failures: number
      readonly writer: string
      readonly since: string
      readonly notBefore?: string
    }
  | { readonly kind: 'tools'; readonly turn: number; readonly calls: readonly OpenCall[] }

/** The count of one tool with equal arguments. */
export interface GuardEntry {
  readonly count: number
  /** The last result of an observation tool: the count restarts when it changes. */
  readonly observed?: string
}

/** The plan as it was last set. */
export interface CurrentPlan {
  readonly callId: string
  readonly items: readonly PlanItem[]
  readonly explanation?: string
}

/** What is remembered of a run in every state after its start. */
export interface RunFacts {
  readonly header: RunStarted['data']
  readonly transcript: Chain<TranscriptItem>
  readonly turnsCompleted: number
  readonly usage: Usage
  readonly guard: Buckets<GuardEntry>
  /** Effects recorded so far: each is recorded once. */
  readonly effectIds: Buckets<true>
  readonly plan?: CurrentPlan
}

export interface CancelRequest {
  readonly reason: string
  readonly by: string
  readonly at: string
}

export type RunState =
  | { readonly status: 'unborn' }
  /** Cancelled before it was started: refuses the later start. */
  | { readonly status: 'tombstone'; readonly cancel: CancelRequest }
  | { readonly status: 'running'; readonly facts: RunFacts; readonly phase: Phase }
  | {
      readonly status: 'cancelling'
      readonly facts: RunFacts
      readonly phase: Phase
      readonly cancel: CancelRequest
    }
  | {
      readonly status: 'completed' | 'failed' | 'cancelled'
      readonly facts: RunFacts
      readonly reason: string
      readonly endedAt: string
    }

/** A run that still has something to do. */
export type OpenRun = Extract<RunState, { status: 'running' | 'cancelling' }>

export function isOpen(state: RunState): state is OpenRun {
  return state.status === 'running' || state.status === 'cancelling'
}

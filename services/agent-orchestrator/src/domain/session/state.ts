import { type Authorization } from '@sciencediscovery/run-events'
import { type QueuedRun, type SessionSettings } from './events.js'

/** A request, waiting or resolved. */
export interface Permission {
  readonly requestId: string
  readonly runId: string
  readonly callId: string
  readonly action: string
  readonly resource: string
  readonly summary: string
  readonly requestedAt: string
  readonly state: 'pending' | 'allowed' | 'denied' | 'cancelled'
  readonly authorization?: Authorization
}

export interface Grant {
  readonly grantId: string
  readonly action: string
  readonly resource: string
}

/** The run whose turn it is. */
export interface ActiveRun {
  readonly run: QueuedRun
  readonly writer: string
}

export type SessionState =
  | { readonly status: 'unborn' }
  | {
      readonly status: 'open' | 'archived'
      readonly sessionId: string
      readonly projectId: string
      readonly settings: SessionSettings
      readonly createdAt: string
      readonly archivedAt: string
      readonly active?: ActiveRun
      readonly queue: readonly QueuedRun[]
      /** The run before, whose conversation goes on. */
      readonly lastRunId?: string
      /** Model turns completed in all runs of the session. */
      readonly turnsCompleted: number
      /** Requests of the active run, and the last decided ones of runs before it; oldest first. */
      readonly permissions: readonly Permission[]
      readonly grants: readonly Grant[]
      /** Runs ever accepted: tells whether a run id is one of ours. */
      readonly runCount: number
    }

export type LivingSession = Exclude<SessionState, { status: 'unborn' }>

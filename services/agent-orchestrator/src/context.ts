import { type Aggregates, type EventStore, type Signals } from '@sciencediscovery/event-store'
import { type Clock } from '@sciencediscovery/kernel'
import { type Logger } from '@sciencediscovery/service-kit'
import { type ProjectCommand } from './domain/project/decider.js'
import { type ProjectState } from './domain/project/state.js'
import { type RunCommand } from './domain/run/commands.js'
import { type RunState } from './domain/run/state.js'
import { type SessionCommand } from './domain/session/commands.js'
import { type SessionState } from './domain/session/state.js'
import { type ModelProvider, type ModelUsage } from './model-provider.js'
import { type Texts } from './texts.js'
import { type ToolClient } from './tool-client.js'

/** Finds model services and prices. */
export interface ModelDirectory {
  /** Refuses a spec that cannot work, without asking anybody. */
  check(spec: string): void
  resolve(spec: string, signal: AbortSignal): Promise<ModelProvider>
  /** US dollars, or undefined when the price is unknown. */
  priceOf(spec: string, model: string, usage: ModelUsage | undefined): number | undefined
  /** The model of a session that names none. */
  readonly fallbackSpec: string
}

/** What handlers and reactors are given. */
export interface Context {
  readonly runs: Aggregates<RunState, RunCommand>
  readonly sessions: Aggregates<SessionState, SessionCommand>
  readonly projects: Aggregates<ProjectState, ProjectCommand>
  readonly store: EventStore
  readonly signals: Signals
  readonly texts: Texts
  readonly tools: ToolClient
  readonly models: ModelDirectory
  /** This replica: its id, its time, its log. */
  readonly here: { readonly replicaId: string; readonly clock: Clock; readonly logger: Logger }
}

/** The time as events hold it. */
export function nowOf(ctx: { readonly here: { readonly clock: Clock } }): string {
  return new Date(ctx.here.clock()).toISOString()
}

import { type AggregateType } from '@sciencediscovery/event-store'
import { type RunEvent, parseRunEvent } from '@sciencediscovery/run-events'
import { type ProjectCommand, projectDecider } from './domain/project/decider.js'
import { type ProjectEvent, ProjectEventSchema } from './domain/project/events.js'
import { type ProjectState } from './domain/project/state.js'
import { type RunCommand } from './domain/run/commands.js'
import { runDecider } from './domain/run/decider.js'
import { type RunState } from './domain/run/state.js'
import { type SessionCommand } from './domain/session/commands.js'
import { sessionDecider } from './domain/session/decider.js'
import { type SessionEvent, SessionEventSchema } from './domain/session/events.js'
import { type SessionState } from './domain/session/state.js'

/** How runs are stored. */
export const runType: AggregateType<RunState, RunCommand, RunEvent> = {
  decider: runDecider,
  parse: parseRunEvent,
  record: (event) => event,
}

/** How sessions are stored. */
export const sessionType: AggregateType<SessionState, SessionCommand, SessionEvent> = {
  decider: sessionDecider,
  parse: (stored) => SessionEventSchema.parse(stored),
  record: (event) => event,
}

/** How projects are stored. */
export const projectType: AggregateType<ProjectState, ProjectCommand, ProjectEvent> = {
  decider: projectDecider,
  parse: (stored) => ProjectEventSchema.parse(stored),
  record: (event) => event,
}

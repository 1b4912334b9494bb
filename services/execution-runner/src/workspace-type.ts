import { type AggregateType } from '@sciencediscovery/event-store'
import { type WorkspaceCommand } from './domain/workspace/commands.js'
import { workspaceDecider } from './domain/workspace/decider.js'
import { type WorkspaceEvent, WorkspaceEventSchema } from './domain/workspace/events.js'
import { type WorkspaceState } from './domain/workspace/state.js'

/** How workspaces are decided and stored. */
export const workspaceType: AggregateType<WorkspaceState, WorkspaceCommand, WorkspaceEvent> = {
  decider: workspaceDecider,
  parse: ({ type, v, data }) => WorkspaceEventSchema.parse({ type, v, data }),
  record: ({ type, v, data }) => ({ type, v, data }),
}

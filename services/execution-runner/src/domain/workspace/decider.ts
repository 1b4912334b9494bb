/**
 * A workspace is on one replica's disk at a time, and one thing writes in it at a time.
 * - An epoch is claimed once and only grows; owner commands of any other epoch are refused.
 * - A claim settles what ran under older epochs as `unknown`; what waited goes on waiting.
 * - Every execution gets exactly one `execution.completed`, in one commit with its snapshot.
 * - A snapshot starts from the one before: trees form a chain without a fork.
 * - An execution id or effect key is done once; one cancelled before it was asked for is never done.
 */
import { type Decider, exhaustive } from '@sciencediscovery/kernel'
import { type WorkspaceCommand } from './commands.js'
import { type WorkspaceEvent } from './events.js'
import { evolve } from './evolve.js'
import {
  cancelExecution,
  finishExecution,
  queueExecution,
  recordOutput,
  startExecution,
} from './executions.js'
import { commitFile } from './files.js'
import { claimWorkspace, releaseWorkspace, requestPlacement } from './ownership.js'
import { initialWorkspace, type WorkspaceState } from './state.js'

export const workspaceDecider: Decider<WorkspaceState, WorkspaceCommand, WorkspaceEvent> = {
  initialState: () => initialWorkspace,
  decide,
  evolve,
}

function decide(command: WorkspaceCommand, state: WorkspaceState): readonly WorkspaceEvent[] {
  switch (command.type) {
    case 'RequestPlacement':
      return requestPlacement(command, state)
    case 'ClaimWorkspace':
      return claimWorkspace(command, state)
    case 'ReleaseWorkspace':
      return releaseWorkspace(command, state)
    case 'QueueExecution':
      return queueExecution(command, state)
    case 'StartExecution':
      return startExecution(command, state)
    case 'CancelExecution':
      return cancelExecution(command, state)
    case 'RecordOutput':
      return recordOutput(command, state)
    case 'FinishExecution':
      return finishExecution(command, state)
    case 'CommitFile':
      return commitFile(command, state)
    default:
      return exhaustive(command)
  }
}

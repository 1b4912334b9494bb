import { derivedId } from '@sciencediscovery/event-store'
import { executionIdOf, workspaceIdOf } from '@sciencediscovery/run-events'
import { type Actor } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type PermissionNeed } from '@sciencediscovery/tool-kit'
import { type ToolCall } from '../tool-call.js'

/** The class of everything that changes a workspace. */
export const workspaceCode = { action: 'code', resource: 'workspace-code' } as const

/** Asks for leave to change the workspace, in words of the tool. */
export function needsWorkspaceCode(summary: string): PermissionNeed {
  return { ...workspaceCode, summary }
}

/** Who asks, for owners. */
export function actorOf({ place }: ToolCall): Actor {
  const { projectId, sessionId, runId, agentId, callId } = place
  return { projectId, sessionId, runId, agentId, callId }
}

/** Workspace and pool of the agent: its own pool unless another is named. */
export function workspaceOf(
  { place }: ToolCall,
  runnerId?: string,
): { readonly workspaceId: string; readonly runnerId: string } {
  return runnerId === undefined || runnerId === place.runnerId
    ? { workspaceId: place.workspaceId, runnerId: place.runnerId }
    : { workspaceId: workspaceIdOf(place.agentId, runnerId), runnerId }
}

/** The key of an effect of the call; parts tell several effects of one call apart. */
export function effectKeyOf(call: ToolCall, ...parts: readonly string[]): string {
  return derivedId('fx-', call.callKey, ...parts)
}

/** The id of the execution that the call starts in the workspace. */
export function executionIdOfCall(call: ToolCall, workspaceId: string): string {
  return executionIdOf(derivedId('', call.callKey).slice(0, 16), workspaceId)
}

import { type StartExecutionRequest } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { type ToolCall } from '../tool-call.js'
import { executionIdOfCall, workspaceOf } from './place.js'

/** What is to be run, and for how long to wait. */
export interface ShellOrder {
  readonly command: string
  readonly scriptPath?: string | undefined
  readonly arguments?: string[] | undefined
  readonly cwd?: string | undefined
  readonly runnerId?: string | undefined
  readonly environmentId?: string | undefined
  /** 0 sets no limit. */
  readonly timeoutMs: number
  readonly waitMs: number
}

/** The one execution of the call, in the agent's workspace. */
export function startRequestOf(call: ToolCall, order: ShellOrder): StartExecutionRequest {
  const { projectId, runId, agentId, callId, sessionId, environmentId } = call.place
  const { workspaceId, runnerId } = workspaceOf(call, order.runnerId)
  return {
    executionId: executionIdOfCall(call, workspaceId),
    projectId,
    workspaceId,
    runnerId,
    runId,
    agentId,
    callId,
    sessionId,
    command: order.command,
    scriptPath: order.scriptPath ?? '',
    arguments: order.arguments ?? [],
    cwd: order.cwd ?? '',
    environmentId: order.environmentId ?? environmentId,
    timeoutMs: BigInt(order.timeoutMs),
    declaredInputs: [],
    waitMs: order.waitMs,
  }
}

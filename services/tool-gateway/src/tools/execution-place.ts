import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { placeOfWorkspace, workspaceIdOf, workspaceOfExecution } from '@sciencediscovery/run-events'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'

/** The id of an execution, as `run_shell` gave it. */
export const ExecutionIdSchema = z.string().min(1).max(300).describe('Id that run_shell gave')

/** Where an execution is, for its owner. */
export interface ExecutionPlace {
  readonly projectId: string
  readonly workspaceId: string
  readonly runnerId: string
  readonly executionId: string
}

/** Asks about an execution of the agent; ids that are malformed, unknown or of somebody else get one answer. */
export async function askOwner<Answer>(
  executionId: string,
  call: ToolCall,
  ask: (place: ExecutionPlace) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(placeOf(executionId, call))
  } catch (error) {
    throw isPlatformError(error) && error.code === 'not_found'
      ? unknownExecution(executionId)
      : error
  }
}

/** The answer for an execution that is not the agent's, whatever else it is. */
export function unknownExecution(executionId: string): PlatformError {
  return new PlatformError(
    'not_found',
    `execution ${JSON.stringify(executionId.slice(0, 100))} not found`,
    { field: 'execution_id', remedy: 'call execution_status without arguments to see yours' },
  )
}

function placeOf(executionId: string, { place }: ToolCall): ExecutionPlace {
  const { projectId, agentId } = place
  const workspaceId = workspaceOfExecution(executionId)
  const { runnerId } = placeOfWorkspace(workspaceId)
  const isOwn =
    workspaceId === place.workspaceId || workspaceId === workspaceIdOf(agentId, runnerId)
  if (!isOwn) throw unknownExecution(executionId)
  return { projectId, workspaceId, runnerId, executionId }
}

import { type ExecutionInput, placeOfWorkspace, workspaceIdOf } from '@sciencediscovery/run-events'

/** The agent whose files are in a workspace. */
export function agentOfWorkspace(workspaceId: string): string {
  const { runnerId } = placeOfWorkspace(workspaceId)
  return `a-${workspaceId.slice(`w-${runnerId}-`.length)}`
}

/** The session whose main agent this would be: right for every agent that is no child. */
export function sessionOfMainAgent(agentId: string): string {
  return `s-${agentId.slice('a-'.length)}`
}

/** The runner pool that holds a workspace. */
export function poolOfWorkspace(workspaceId: string): string {
  return placeOfWorkspace(workspaceId).runnerId
}

/** Where an input lies: in the same agent's workspace on the pool that held it. */
export function placeOfInput(
  workspaceId: string,
  { runnerId, path }: Pick<ExecutionInput, 'runnerId' | 'path'>,
): { readonly workspaceId: string; readonly path: string } {
  const elsewhere = runnerId !== '' && runnerId !== poolOfWorkspace(workspaceId)
  return {
    workspaceId: elsewhere ? workspaceIdOf(agentOfWorkspace(workspaceId), runnerId) : workspaceId,
    path,
  }
}

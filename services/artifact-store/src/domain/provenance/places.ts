import { placeOfWorkspace } from '@sciencediscovery/run-events'

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

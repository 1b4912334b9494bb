import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type RpcMethod } from '@sciencediscovery/service-kit'

type Definition = Readonly<Record<string, RpcMethod>>

/**
 * The same services under paths of their own, for replicas among themselves: a call that came this way
 * is answered or refused, never passed on, so that no call goes round in circles.
 */
function forwarded<D extends Definition>(definition: D): D
function forwarded(definition: Definition): Definition {
  const entries = Object.entries(definition).map(
    ([name, method]) => [name, { ...method, path: `/forwarded.${method.path.slice(1)}` }] as const,
  )
  return Object.fromEntries(entries)
}

export const forwardedExecutions = forwarded(ExecutionServiceService)
export const forwardedFiles = forwarded(WorkspaceServiceService)

import { type ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { type WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type RpcClient } from '@sciencediscovery/service-kit'

/** The other replicas of the pool; what they are asked here they do not pass on again. */
export interface Peers {
  executions(address: string): RpcClient<typeof ExecutionServiceService>
  files(address: string): RpcClient<typeof WorkspaceServiceService>
}

import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ToolServiceService } from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { type GrpcServer } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { cancelCall } from './cancel-call.js'
import { diagnose } from './diagnose.js'
import { invoke } from './invoke.js'
import { listTools } from './list-tools.js'

/** Adds every RPC of the gateway to the server. */
export function registerHandlers(server: GrpcServer, ctx: Context): void {
  server.add(ToolServiceService, {
    listTools: listTools(ctx),
    invoke: invoke(ctx),
    cancelCall: cancelCall(ctx),
  })
  server.add(OperationsServiceService, { diagnose: diagnose(ctx) })
}

import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { type GrpcServer, type Implementation } from '@sciencediscovery/service-kit'
import { type HandlerContext } from '../context.js'
import { forwardedExecutions } from '../forwarded.js'
import { cancelExecution } from './cancel-execution.js'
import { diagnose } from './diagnose.js'
import { listExecutions } from './list-executions.js'
import { type Way } from './on-owner.js'
import { readOutput } from './read-output.js'
import { startExecution } from './start-execution.js'
import { waitExecution } from './wait-execution.js'

/** Puts the services of the runner on a server: for clients, and for replicas among themselves. */
export function registerHandlers(server: GrpcServer, ctx: HandlerContext): void {
  server.add(ExecutionServiceService, executions(ctx, 'direct'))
  server.add(forwardedExecutions, executions(ctx, 'forwarded'))
  server.add(OperationsServiceService, { diagnose: diagnose(ctx) })
}

function executions(ctx: HandlerContext, way: Way): Implementation<typeof ExecutionServiceService> {
  return {
    startExecution: startExecution(ctx, way),
    waitExecution: waitExecution(ctx, way),
    listExecutions: listExecutions(ctx),
    cancelExecution: cancelExecution(ctx, way),
    readOutput: readOutput(ctx, way),
  }
}

import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type GrpcServer, type Implementation } from '@sciencediscovery/service-kit'
import { type HandlerContext } from '../context.js'
import { forwardedExecutions, forwardedFiles } from '../forwarded.js'
import { type PoolPresence } from '../reactors/pool-presence.js'
import { cancelExecution } from './cancel-execution.js'
import { diagnose } from './diagnose.js'
import { downloadArchive } from './download-archive.js'
import { downloadFile } from './download-file.js'
import { editFile } from './edit-file.js'
import { globFiles } from './glob-files.js'
import { grepFiles } from './grep-files.js'
import { listExecutions } from './list-executions.js'
import { listFiles } from './list-files.js'
import { listRunners } from './list-runners.js'
import { type Way } from './on-owner.js'
import { putFile } from './put-file.js'
import { readFile } from './read-file.js'
import { readLog } from './read-log.js'
import { readOutput } from './read-output.js'
import { resolveFiles } from './resolve-files.js'
import { startExecution } from './start-execution.js'
import { waitExecution } from './wait-execution.js'
import { writeFile } from './write-file.js'

/** Puts the services of the runner on a server: for clients, and for replicas among themselves. */
export function registerHandlers(
  server: GrpcServer,
  ctx: HandlerContext,
  presence: PoolPresence,
): void {
  server.add(ExecutionServiceService, executions(ctx, 'direct'))
  server.add(forwardedExecutions, executions(ctx, 'forwarded'))
  server.add(WorkspaceServiceService, files(ctx, presence, 'direct'))
  server.add(forwardedFiles, files(ctx, presence, 'forwarded'))
  server.add(OperationsServiceService, { diagnose: diagnose(ctx) })
}

function executions(ctx: HandlerContext, way: Way): Implementation<typeof ExecutionServiceService> {
  return {
    startExecution: startExecution(ctx, way),
    waitExecution: waitExecution(ctx, way),
    listExecutions: listExecutions(ctx),
    cancelExecution: cancelExecution(ctx, way),
    readOutput: readOutput(ctx, way),
    readLog: readLog(ctx, way),
  }
}

function files(
  ctx: HandlerContext,
  presence: PoolPresence,
  way: Way,
): Implementation<typeof WorkspaceServiceService> {
  return {
    listFiles: listFiles(ctx, way),
    globFiles: globFiles(ctx, way),
    grepFiles: grepFiles(ctx, way),
    readFile: readFile(ctx, way),
    writeFile: writeFile(ctx, way),
    editFile: editFile(ctx, way),
    putFile: putFile(ctx, way),
    resolveFiles: resolveFiles(ctx, way),
    downloadFile: downloadFile(ctx, way),
    downloadArchive: downloadArchive(ctx),
    listRunners: listRunners(presence),
  }
}

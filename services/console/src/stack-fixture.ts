import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import {
  createGrpcServer,
  createLogger,
  serviceTokenAuth,
  type GrpcServer,
} from '@sciencediscovery/service-kit'
import { createPlayedRun, type PlayedRun } from './played-run-fixture.js'
import { artifactHandlers, operationsHandlers, provenanceHandlers } from './stack-fixture-files.js'
import { runHandlers, sessionHandlers } from './stack-fixture-runs.js'
import type { Play, World } from './world-fixture.js'

/** A loopback server that answers like the stack does. */
export interface StackFixture extends AsyncDisposable {
  readonly address: string
  readonly token: string
  readonly world: World
  asked(method: string): readonly unknown[]
  /** Ends the process of the server, as far as callers can tell, and starts it again at the same address. */
  restart(): Promise<void>
}

const token = 'token-of-the-fixture'

/** Starts it on a free port. */
export async function startStack(play: Play = () => Promise.resolve()): Promise<StackFixture> {
  const world: World = { runs: new Map(), asked: [], files: new Map(), play }
  let server = serve(world, 0)
  const { address } = await server.start()
  const port = Number(address.slice(address.lastIndexOf(':') + 1))
  return {
    address,
    token,
    world,
    asked: (method) =>
      world.asked.filter((call) => call.method === method).map(({ request }) => request),
    async restart() {
      await server[Symbol.asyncDispose]()
      server = serve(world, port)
      await server.start()
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
    },
  }
}

function serve(world: World, port: number): GrpcServer {
  const server = createGrpcServer({
    host: '127.0.0.1',
    port,
    authenticate: serviceTokenAuth(token),
    logger: createLogger('fixture', { level: 'silent' }),
    drainTimeoutMs: 100,
  })
  server.add(SessionServiceService, sessionHandlers(world))
  server.add(RunServiceService, runHandlers(world))
  server.add(ArtifactServiceService, artifactHandlers(world))
  server.add(ProvenanceServiceService, provenanceHandlers(world))
  server.add(OperationsServiceService, operationsHandlers(world))
  return server
}

/** A run that nobody plays: for watching. */
export function addRun(world: World, runId: string): PlayedRun {
  const run = createPlayedRun(runId)
  world.runs.set(runId, run)
  return run
}

import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProjectServiceService } from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import {
  authenticatorOf,
  connectChannel,
  createId,
  createLifecycle,
  createLogger,
  openEndpoint,
  proxyService,
  type Authenticate,
  type Channel,
  type Logger,
  type ServiceDefinition,
} from '@sciencediscovery/service-kit'
import type { ConsoleConfig } from './config.js'
import { diagnose } from './handlers/diagnose.js'
import { ownFindings } from './handlers/own-findings.js'
import { passToPool } from './handlers/pass-to-pool.js'

/** What a composition root or a test may bring itself. */
export interface ConsoleOverrides {
  readonly logger?: Logger
  readonly diagnoseTimeoutMs?: number
}

/** A running console. */
export interface ConsoleService extends AsyncDisposable {
  readonly address: string
  readonly replicaId: string
}

const pooled = [WorkspaceServiceService, ExecutionServiceService] as const

/**
 * The one address of the platform: checks the token at the door, refuses what is for services alone, and
 * passes each call to the owner of its noun, with its own token and the name of the caller.
 */
export async function createService(
  config: ConsoleConfig,
  overrides: ConsoleOverrides = {},
): Promise<ConsoleService> {
  const { logger = createLogger('console'), diagnoseTimeoutMs = 20_000 } = overrides
  const { token } = config
  const replicaId = createId('console')
  const lifecycle = createLifecycle()
  const channel = (address: string): Channel => lifecycle.use(connectChannel(address, { token }))
  const orchestrator = channel(config.orchestratorAddress)
  const gateway = channel(config.gatewayAddress)
  const artifactStore = channel(config.artifactStoreAddress)
  const pools = new Map(
    Object.entries(config.runnerAddresses).map(
      ([pool, address]) => [pool, channel(address)] as const,
    ),
  )
  const server = lifecycle.use(
    openEndpoint(config, { logger, authenticate: authenticatorFor(config) }),
  )

  const owners: readonly (readonly [ServiceDefinition, Channel])[] = [
    [ProjectServiceService, orchestrator],
    [SessionServiceService, orchestrator],
    [RunServiceService, orchestrator],
    [ArtifactServiceService, artifactStore],
    [ProvenanceServiceService, artifactStore],
  ]
  for (const [definition, owner] of owners) server.addRaw(proxyService(definition, () => owner))
  for (const definition of pooled) server.addRaw(passToPool(definition, pools))
  const patients = [
    { name: 'agent-orchestrator', channel: orchestrator },
    { name: 'tool-gateway', channel: gateway },
    { name: 'artifact-store', channel: artifactStore },
    ...[...pools].map(([pool, runner]) => ({
      name: `execution-runner (${pool})`,
      channel: runner,
    })),
  ]
  server.add(OperationsServiceService, {
    diagnose: diagnose({
      ...{ replicaId, patients, timeoutMs: diagnoseTimeoutMs },
      own: ownFindings(config),
    }),
  })
  const dispose = async (): Promise<void> => {
    await lifecycle[Symbol.asyncDispose]()
  }
  try {
    const { address } = await server.start()
    return { address, replicaId, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

function authenticatorFor({ accessToken, auth, allowPlaintext }: ConsoleConfig): Authenticate {
  const operator = { id: 'operator', roles: ['owner'] }
  const tokens = accessToken === undefined ? [] : [{ token: accessToken, principal: operator }]
  return authenticatorOf({ tokens, auth, allowPlaintext })
}

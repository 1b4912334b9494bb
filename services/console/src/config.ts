import { PlatformError } from '@sciencediscovery/kernel'
import {
  endpointShape,
  isTelemetryOn,
  loadConfig,
  poolAddresses,
  positiveInteger,
  toEndpointConfig,
  type EndpointConfig,
  type Environment,
  type Logger,
} from '@sciencediscovery/service-kit'
import { z } from 'zod'

/** The environment of this process, for what is loaded before the configuration. */
export const environment: Environment = process.env

const CliSchema = z.object({
  SCIENCE_DISCOVERY_DATA_DIR: z.string().default('./data'),
  SCIENCE_DISCOVERY_TOKEN: z.string().optional(),
})

/** What a command reads from the environment. */
export interface CliConfig {
  readonly dataDir: string
  readonly token: string | undefined
}

/** The configuration of a command. */
export function loadCliConfig(env: Environment, logger: Pick<Logger, 'warn'>): CliConfig {
  const found = loadConfig(CliSchema, env, { logger })
  return { dataDir: found.SCIENCE_DISCOVERY_DATA_DIR, token: found.SCIENCE_DISCOVERY_TOKEN }
}

const ConsoleSchema = z.object({
  SCIENCE_DISCOVERY_PORT: positiveInteger.default(7400),
  SCIENCE_DISCOVERY_ACCESS_TOKEN: z.string().min(16).optional(),
  ORCHESTRATOR_ADDRESS: z.string(),
  GATEWAY_ADDRESS: z.string(),
  ARTIFACT_STORE_ADDRESS: z.string(),
  RUNNER_ADDRESSES: poolAddresses,
  ...endpointShape,
})

/** What the console needs to know. */
export interface ConsoleConfig extends EndpointConfig {
  /** The token of the installation's owner. The one of services opens nothing here. */
  readonly accessToken?: string | undefined
  /** Whether a collector is told what happens: for the doctor. */
  readonly telemetry?: boolean | undefined
  readonly orchestratorAddress: string
  readonly gatewayAddress: string
  readonly artifactStoreAddress: string
  /** Address by runner pool. */
  readonly runnerAddresses: Readonly<Record<string, string>>
}

/** The configuration of the console service. */
export function loadConsoleConfig(env: Environment = process.env): ConsoleConfig {
  const found = loadConfig(ConsoleSchema, env)
  return {
    ...toEndpointConfig(found),
    accessToken: requireWayIn(found),
    telemetry: isTelemetryOn(env),
    orchestratorAddress: found.ORCHESTRATOR_ADDRESS,
    gatewayAddress: found.GATEWAY_ADDRESS,
    artifactStoreAddress: found.ARTIFACT_STORE_ADDRESS,
    runnerAddresses: found.RUNNER_ADDRESSES,
  }
}

/** Nobody could call a console that takes nobody's token; and one token for all would make people services. */
function requireWayIn(found: z.output<typeof ConsoleSchema>): string | undefined {
  const { SCIENCE_DISCOVERY_ACCESS_TOKEN: accessToken, SCIENCE_DISCOVERY_TOKEN: token } = found
  const field = 'SCIENCE_DISCOVERY_ACCESS_TOKEN'
  if (accessToken === undefined && found.AUTH_ISSUER === undefined) {
    throw new PlatformError('invalid', `${field}: is not set, and AUTH_ISSUER is not either`, {
      field,
      remedy: 'set a token for the owner of the installation, or whose signed tokens are taken',
    })
  }
  if (accessToken !== token) return accessToken
  throw new PlatformError('invalid', `${field}: is the token of the services`, {
    field,
    remedy: 'give people a token of their own: the one of services opens everything',
  })
}

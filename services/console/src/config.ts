import {
  booleanFlag,
  loadConfig,
  poolAddresses,
  positiveInteger,
  type Environment,
  type Logger,
} from '@sciencediscovery/service-kit'
import { z } from 'zod'

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
  SCIENCE_DISCOVERY_HOST: z.string().default('127.0.0.1'),
  SCIENCE_DISCOVERY_PORT: positiveInteger.default(7400),
  SCIENCE_DISCOVERY_TOKEN: z.string().min(16),
  SCIENCE_DISCOVERY_ALLOW_PLAINTEXT: booleanFlag.default(false),
  ORCHESTRATOR_ADDRESS: z.string(),
  GATEWAY_ADDRESS: z.string(),
  ARTIFACT_STORE_ADDRESS: z.string(),
  RUNNER_ADDRESSES: poolAddresses,
})

/** What the console needs to know. */
export interface ConsoleConfig {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** The token of callers; it is passed on to the owners. */
  readonly token: string
  readonly orchestratorAddress: string
  readonly gatewayAddress: string
  readonly artifactStoreAddress: string
  /** Address by runner pool. */
  readonly runnerAddresses: Readonly<Record<string, string>>
  /** A host other than loopback without TLS: a mesh encrypts below us. */
  readonly allowPlaintext?: boolean | undefined
}

/** The configuration of the console service. */
export function loadConsoleConfig(env: Environment = process.env): ConsoleConfig {
  const found = loadConfig(ConsoleSchema, env)
  return {
    host: found.SCIENCE_DISCOVERY_HOST,
    port: found.SCIENCE_DISCOVERY_PORT,
    token: found.SCIENCE_DISCOVERY_TOKEN,
    allowPlaintext: found.SCIENCE_DISCOVERY_ALLOW_PLAINTEXT,
    orchestratorAddress: found.ORCHESTRATOR_ADDRESS,
    gatewayAddress: found.GATEWAY_ADDRESS,
    artifactStoreAddress: found.ARTIFACT_STORE_ADDRESS,
    runnerAddresses: found.RUNNER_ADDRESSES,
  }
}

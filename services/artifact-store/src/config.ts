import {
  bytes,
  type EndpointConfig,
  endpointShape,
  type Environment,
  type InfrastructureVariables,
  infrastructureShape,
  loadConfig,
  toEndpointConfig,
  poolAddresses,
  positiveInteger,
} from '@sciencediscovery/service-kit'
import { z } from 'zod'

/** The environment of this process, for what is loaded before the configuration. */
export const environment: Environment = process.env

const uploadShape = {
  SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_FILE_BYTES: bytes.prefault('1GiB'),
  SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_REQUEST_BYTES: bytes.prefault('10GiB'),
}

const artifactStoreSchema = z.object({
  SCIENCE_DISCOVERY_PORT: positiveInteger.default(7430),
  SCIENCE_DISCOVERY_DATA_DIR: z.string().default('./data'),
  ...endpointShape,
  ORCHESTRATOR_ADDRESS: z.string(),
  RUNNER_ADDRESSES: poolAddresses,
  PG_URL: z.string().optional(),
  ...infrastructureShape,
  ...uploadShape,
})

/** What the artifact store needs to know. */
export interface ArtifactStoreConfig extends EndpointConfig {
  readonly orchestratorAddress: string
  /** Address by runner pool. */
  readonly runnerAddresses: Readonly<Record<string, string>>
  /** Where bus and blobs are, when none are handed in. */
  readonly infrastructure?: InfrastructureVariables | undefined
  /** A PostgreSQL server; without one the database is embedded. */
  readonly pgUrl?: string | undefined
  /** Holds blobs and the embedded database when none are handed in. */
  readonly dataDirectory: string
  /** Largest file that a person may upload. */
  readonly maxUploadBytes: number
}

/** The configuration of the artifact store; every problem is named at once. */
export function loadArtifactStoreConfig(env: Environment = process.env): ArtifactStoreConfig {
  const found = loadConfig(artifactStoreSchema, env)
  return {
    ...toEndpointConfig(found),
    orchestratorAddress: found.ORCHESTRATOR_ADDRESS,
    runnerAddresses: found.RUNNER_ADDRESSES,
    infrastructure: found,
    pgUrl: found.PG_URL,
    dataDirectory: found.SCIENCE_DISCOVERY_DATA_DIR,
    maxUploadBytes: toMaxUploadBytes(found),
  }
}

/** Only the limit of uploads: all that a local stack takes from the environment. */
export function loadMaxUploadBytes(env: Environment = process.env): number {
  return toMaxUploadBytes(loadConfig(z.object(uploadShape), env))
}

/** One request carries one file, so that the lower limit counts. */
function toMaxUploadBytes(found: {
  readonly SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_FILE_BYTES: number
  readonly SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_REQUEST_BYTES: number
}): number {
  return Math.min(
    found.SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_FILE_BYTES,
    found.SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_REQUEST_BYTES,
  )
}

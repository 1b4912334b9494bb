import {
  type BlobVariables,
  blobShape,
  type EndpointConfig,
  endpointShape,
  type Environment,
  loadConfig,
  toEndpointConfig,
  poolAddresses,
  positiveInteger,
} from '@sciencediscovery/service-kit'
import { z } from 'zod'

/** The environment of this process, for what is loaded before the configuration. */
export const environment: Environment = process.env

const outputShape = {
  SCIENCE_AGENT_TOOL_OUTPUT_MAX_BYTES: positiveInteger.default(51_200),
  SCIENCE_AGENT_TOOL_OUTPUT_MAX_LINES: positiveInteger.default(2_000),
  SCIENCE_AGENT_TOOL_OUTPUT_RETENTION_BYTES: positiveInteger.default(8_192),
  SCIENCE_AGENT_TOOL_OUTPUT_READ_ADVISORY_BYTES: positiveInteger.default(65_536),
  SCIENCE_AGENT_TOOL_OUTPUT_READ_STRONG_ADVISORY_BYTES: positiveInteger.default(98_304),
}

const outputSchema = z.object(outputShape)

function isOrdered(output: z.output<typeof outputSchema>): boolean {
  return (
    output.SCIENCE_AGENT_TOOL_OUTPUT_READ_STRONG_ADVISORY_BYTES >=
    output.SCIENCE_AGENT_TOOL_OUTPUT_READ_ADVISORY_BYTES
  )
}

const ordered = {
  path: ['SCIENCE_AGENT_TOOL_OUTPUT_READ_STRONG_ADVISORY_BYTES'],
  message: 'send at least SCIENCE_AGENT_TOOL_OUTPUT_READ_ADVISORY_BYTES',
}

const gatewaySchema = z
  .object({
    SCIENCE_DISCOVERY_PORT: positiveInteger.default(7410),
    SCIENCE_DISCOVERY_DATA_DIR: z.string().default('./data'),
    ...blobShape,
    ...endpointShape,
    ARTIFACT_STORE_ADDRESS: z.string(),
    ORCHESTRATOR_ADDRESS: z.string(),
    RUNNER_ADDRESSES: poolAddresses,
    ...outputShape,
  })
  .refine(isOrdered, ordered)

/** Bounds of what models are shown of an output, and of reading one again (S-19, S-20). */
export interface ToolOutputConfig {
  readonly maxBytes: number
  readonly maxLines: number
  readonly retentionBytes: number
  readonly readAdvisoryBytes: number
  readonly readStrongAdvisoryBytes: number
}

/** What the gateway needs to know. */
export interface GatewayConfig extends EndpointConfig {
  readonly artifactStoreAddress: string
  /** Who knows the kept outputs of a session and what was read of them. */
  readonly orchestratorAddress: string
  /** Address by runner pool. */
  readonly runnerAddresses: Readonly<Record<string, string>>
  readonly toolOutput: ToolOutputConfig
  /** Holds the blobs, in `blobs`, when no other store is handed in. */
  readonly dataDirectory: string
  /** Where the blobs are when all processes share them. */
  readonly blobs?: BlobVariables | undefined
}

/** The configuration of the gateway; every problem is named at once. */
export function loadGatewayConfig(env: Environment = process.env): GatewayConfig {
  const found = loadConfig(gatewaySchema, env)
  return {
    ...toEndpointConfig(found),
    artifactStoreAddress: found.ARTIFACT_STORE_ADDRESS,
    orchestratorAddress: found.ORCHESTRATOR_ADDRESS,
    runnerAddresses: found.RUNNER_ADDRESSES,
    toolOutput: toToolOutput(found),
    dataDirectory: found.SCIENCE_DISCOVERY_DATA_DIR,
    blobs: found,
  }
}

/** Only the bounds of tool output: all that a local stack takes from the environment. */
export function loadToolOutputConfig(env: Environment = process.env): ToolOutputConfig {
  return toToolOutput(loadConfig(outputSchema.refine(isOrdered, ordered), env))
}

function toToolOutput(found: z.output<typeof outputSchema>): ToolOutputConfig {
  return {
    maxBytes: found.SCIENCE_AGENT_TOOL_OUTPUT_MAX_BYTES,
    maxLines: found.SCIENCE_AGENT_TOOL_OUTPUT_MAX_LINES,
    retentionBytes: found.SCIENCE_AGENT_TOOL_OUTPUT_RETENTION_BYTES,
    readAdvisoryBytes: found.SCIENCE_AGENT_TOOL_OUTPUT_READ_ADVISORY_BYTES,
    readStrongAdvisoryBytes: found.SCIENCE_AGENT_TOOL_OUTPUT_READ_STRONG_ADVISORY_BYTES,
  }
}

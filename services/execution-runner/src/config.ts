import {
  bytes,
  type EndpointConfig,
  endpointShape,
  type Environment,
  type InfrastructureVariables,
  infrastructureShape,
  loadConfig,
  toEndpointConfig,
  milliseconds,
  positiveInteger,
} from '@sciencediscovery/service-kit'
import { z } from 'zod'

/** The environment of this process, for what is loaded before the configuration. */
export const environment: Environment = process.env

/** A size, or 0 for no limit. */
const bytesOrNone = z.union([z.literal('0').transform(() => 0), bytes])

const sandboxShape = {
  SCIENCE_AGENT_BWRAP_PATH: z.string().default('/usr/bin/bwrap'),
  SCIENCE_AGENT_MAX_WORKSPACE_BYTES: bytesOrNone.prefault('10GiB'),
  SCIENCE_AGENT_MAX_OUTPUT_BYTES: bytesOrNone.prefault('1GiB'),
  SCIENCE_AGENT_SANDBOX_MEMORY_BYTES: bytes.optional(),
  SCIENCE_AGENT_SANDBOX_PROCESSES: positiveInteger.prefault('1024'),
  SCIENCE_AGENT_SANDBOX_OPEN_FILES: positiveInteger.prefault('16384'),
  SCIENCE_AGENT_SANDBOX_CPU_SECONDS: positiveInteger.optional(),
  SCIENCE_AGENT_SANDBOX_FIRST_UID: positiveInteger.prefault('200000'),
  SCIENCE_AGENT_RUNNER_SLOTS: positiveInteger.prefault('4'),
  SCIENCE_AGENT_RUNNER_WORKSPACES: positiveInteger.prefault('64'),
  SCIENCE_AGENT_RUNNER_IDLE_RELEASE: milliseconds.prefault('60s'),
}

const runnerSchema = z.object({
  SCIENCE_DISCOVERY_PORT: positiveInteger.default(7420),
  SCIENCE_DISCOVERY_ADVERTISED_ADDRESS: z.string().optional(),
  SCIENCE_DISCOVERY_DATA_DIR: z.string().default('./data'),
  ...endpointShape,
  /** Who knows the members of projects; without it people cannot call this runner. */
  ORCHESTRATOR_ADDRESS: z.string().optional(),
  RUNNER_POOL: z
    .string()
    .regex(/^[a-z0-9]{1,32}$/, 'send lower-case letters and digits')
    .default('default'),
  ...infrastructureShape,
  ...sandboxShape,
})

/** How executions are walled in and bounded. */
export interface SandboxConfig {
  readonly bwrapPath: string
  /** Of one workspace; 0 means no limit. */
  readonly maxWorkspaceBytes: number
  /** Retained per stream of an execution; 0 means no limit. */
  readonly maxOutputBytes: number
  /** Of one execution; half of the machine unless told otherwise. */
  readonly memoryBytes?: number | undefined
  readonly processes: number
  readonly openFiles: number
  readonly cpuSeconds?: number | undefined
  /** First of as many host uids as there may be workspaces; used when the runner is root. */
  readonly firstUid: number
  /** Executions at once. */
  readonly slots: number
  /** Workspaces on this disk at once. */
  readonly workspaces: number
  readonly idleReleaseMs: number
}

/** What the runner needs to know. */
export interface RunnerConfig extends EndpointConfig {
  /** Where other replicas reach this one, when that is not where it listens. */
  readonly advertisedAddress?: string | undefined
  /** Holds workspaces, and blobs when no store is handed in. One directory per replica. */
  readonly dataDirectory: string
  /** Who knows the members of projects; without it people cannot call this runner. */
  readonly orchestratorAddress?: string | undefined
  /** The pool that models see as `runner_id`. */
  readonly pool: string
  /** Where the bus and the blobs are; not needed when ports are handed in. */
  readonly infrastructure?: InfrastructureVariables | undefined
  readonly sandbox: SandboxConfig
}

/** The configuration of the runner; every problem is named at once. */
export function loadRunnerConfig(env: Environment = process.env): RunnerConfig {
  const found = loadConfig(runnerSchema, env)
  return {
    ...toEndpointConfig(found),
    advertisedAddress: found.SCIENCE_DISCOVERY_ADVERTISED_ADDRESS,
    dataDirectory: found.SCIENCE_DISCOVERY_DATA_DIR,
    orchestratorAddress: found.ORCHESTRATOR_ADDRESS,
    pool: found.RUNNER_POOL,
    infrastructure: found,
    sandbox: toSandboxConfig(found),
  }
}

/** Only what concerns executions: all that a local stack takes from the environment. */
export function loadSandboxConfig(env: Environment = process.env): SandboxConfig {
  return toSandboxConfig(loadConfig(z.object(sandboxShape), env))
}

function toSandboxConfig(found: z.output<z.ZodObject<typeof sandboxShape>>): SandboxConfig {
  return {
    bwrapPath: found.SCIENCE_AGENT_BWRAP_PATH,
    maxWorkspaceBytes: found.SCIENCE_AGENT_MAX_WORKSPACE_BYTES,
    maxOutputBytes: found.SCIENCE_AGENT_MAX_OUTPUT_BYTES,
    memoryBytes: found.SCIENCE_AGENT_SANDBOX_MEMORY_BYTES,
    processes: found.SCIENCE_AGENT_SANDBOX_PROCESSES,
    openFiles: found.SCIENCE_AGENT_SANDBOX_OPEN_FILES,
    cpuSeconds: found.SCIENCE_AGENT_SANDBOX_CPU_SECONDS,
    firstUid: found.SCIENCE_AGENT_SANDBOX_FIRST_UID,
    slots: found.SCIENCE_AGENT_RUNNER_SLOTS,
    workspaces: found.SCIENCE_AGENT_RUNNER_WORKSPACES,
    idleReleaseMs: found.SCIENCE_AGENT_RUNNER_IDLE_RELEASE,
  }
}

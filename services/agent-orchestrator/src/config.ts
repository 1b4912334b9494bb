import { type RunLimits } from '@sciencediscovery/run-events'
import {
  type EndpointConfig,
  endpointShape,
  type Environment,
  type InfrastructureVariables,
  infrastructureShape,
  loadConfig,
  toEndpointConfig,
} from '@sciencediscovery/service-kit'
import { milliseconds, positiveInteger, wholeNumber } from '@sciencediscovery/service-kit'
import { z } from 'zod'

/** The environment of this process, for what is loaded before the configuration. */
export const environment: Environment = process.env

const agentShape = {
  SCIENCE_AGENT_MODEL: z.string().default(''),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url().optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.url().optional(),
  SCIENCE_AGENT_LLM_TIMEOUT_SECONDS: positiveInteger.prefault('600'),
  SCIENCE_AGENT_LLM_MAX_RETRIES: wholeNumber.prefault('2'),
  SCIENCE_AGENT_LLM_MAX_CONCURRENCY: positiveInteger.prefault('16'),
  SCIENCE_AGENT_GATEWAY_IDLE_TIMEOUT_MS: milliseconds.prefault('240000'),
  SCIENCE_AGENT_GATEWAY_TURN_TIMEOUT_MS: milliseconds.prefault('0'),
  SCIENCE_AGENT_MAX_MODEL_TURNS: positiveInteger.prefault('128'),
  SCIENCE_AGENT_MAX_TOKENS: wholeNumber.prefault('0'),
  SCIENCE_AGENT_DEFAULT_RUNNER: z.string().default('local'),
}

const AgentSchema = z.object(agentShape)
const OrchestratorSchema = AgentSchema.extend({
  SCIENCE_DISCOVERY_PORT: positiveInteger.default(7410),
  SCIENCE_DISCOVERY_DATA_DIR: z.string().default('./data'),
  GATEWAY_ADDRESS: z.string(),
  PG_URL: z.string().optional(),
  ...endpointShape,
  ...infrastructureShape,
})

/** Models and limits: what first-time settings are made of. */
export interface AgentConfig {
  /** Model of a session that names none; empty when there is none. */
  readonly model: string
  readonly openai: { readonly apiKey?: string | undefined; readonly baseUrl?: string | undefined }
  readonly anthropic: {
    readonly apiKey?: string | undefined
    readonly baseUrl?: string | undefined
  }
  readonly modelIdleTimeoutMs: number
  readonly modelConcurrency: number
  readonly runnerId: string
  readonly limits: RunLimits
}

/** What the orchestrator needs to know. */
export interface OrchestratorConfig extends EndpointConfig {
  readonly gatewayAddress: string
  /** A PostgreSQL server; without one the database is embedded. */
  readonly pgUrl?: string | undefined
  readonly dataDirectory: string
  readonly agent: AgentConfig
  /** Where bus and blobs are, when none are handed in. */
  readonly infrastructure?: InfrastructureVariables
}

/** The configuration of the orchestrator; every problem is named at once. */
export function loadOrchestratorConfig(env: Environment = process.env): OrchestratorConfig {
  const found = loadConfig(OrchestratorSchema, env)
  return {
    ...toEndpointConfig(found),
    gatewayAddress: found.GATEWAY_ADDRESS,
    pgUrl: found.PG_URL,
    dataDirectory: found.SCIENCE_DISCOVERY_DATA_DIR,
    agent: toAgentConfig(found),
    infrastructure: found,
  }
}

/** Only models and limits: all that a local stack takes from the environment. */
export function loadAgentConfig(env: Environment = process.env): AgentConfig {
  return toAgentConfig(loadConfig(AgentSchema, env))
}

function toAgentConfig(found: z.output<typeof AgentSchema>): AgentConfig {
  return {
    model: found.SCIENCE_AGENT_MODEL,
    openai: { apiKey: found.OPENAI_API_KEY, baseUrl: found.OPENAI_BASE_URL },
    anthropic: { apiKey: found.ANTHROPIC_API_KEY, baseUrl: found.ANTHROPIC_BASE_URL },
    modelIdleTimeoutMs: found.SCIENCE_AGENT_LLM_TIMEOUT_SECONDS * 1000,
    modelConcurrency: found.SCIENCE_AGENT_LLM_MAX_CONCURRENCY,
    runnerId: found.SCIENCE_AGENT_DEFAULT_RUNNER,
    limits: {
      maxModelTurns: found.SCIENCE_AGENT_MAX_MODEL_TURNS,
      maxModelRetries: found.SCIENCE_AGENT_LLM_MAX_RETRIES,
      idleMs: found.SCIENCE_AGENT_GATEWAY_IDLE_TIMEOUT_MS,
      wallMs: found.SCIENCE_AGENT_GATEWAY_TURN_TIMEOUT_MS,
      maxTokens: found.SCIENCE_AGENT_MAX_TOKENS,
      maxCostUsd: 0,
    },
  }
}

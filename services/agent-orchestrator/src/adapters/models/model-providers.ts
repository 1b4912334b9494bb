import { type Digest, invalid } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type ModelProvider } from '../../model-provider.js'
import { createAnthropicProvider } from './anthropic-provider.js'
import { createLimiter, type ModelLimits } from './limiter.js'
import { createOpenAiProvider } from './openai-provider.js'
import { parseScript } from './parse-script.js'
import { scriptPart } from './script-parts.js'
import { createScriptedProvider } from './scripted-provider.js'
import { type LoadImage, type ServiceOptions } from './service-options.js'
import { type Timing } from './timing.js'
import { withLimiter } from './with-limiter.js'

/** How one model service is reached. Keys are handed in; nothing here reads the environment. */
export interface ModelServiceConfig {
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly limits?: ModelLimits
  readonly idleTimeoutMs?: number
  readonly parameters?: Readonly<Record<string, unknown>>
  /** Spec of the model to ask while this service is overloaded. */
  readonly fallback?: string
}

/** What the providers of one replica are made of. */
export interface ModelProvidersConfig {
  readonly openai?: ModelServiceConfig
  readonly anthropic?: ModelServiceConfig
  readonly loadScript: (digest: Digest, signal: AbortSignal) => Promise<string>
  readonly loadImage: LoadImage
  /** Whether a model takes images. */
  readonly sees: (model: string) => boolean
  readonly timing?: Timing
}

/** Finds the provider of a spec; one per spec, so that limits are shared by all runs. */
export interface ModelProviders {
  readonly resolve: (spec: string, signal: AbortSignal) => Promise<ModelProvider>
  /** Refuses a spec that cannot work, without asking anybody. */
  readonly check: (spec: string) => void
}

type Service = 'openai' | 'anthropic'
type ModelSpec =
  | { readonly service: Service; readonly model: string }
  | { readonly service: 'scripted'; readonly digest: Digest; readonly pointer: string }

const remedy = 'send openai:NAME, anthropic:NAME or scripted:FILE'
const keyNames = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const
const keyHints = {
  openai:
    'set OPENAI_API_KEY (and OPENAI_BASE_URL for another service; one without keys takes any value)',
  anthropic: 'set ANTHROPIC_API_KEY',
} as const
const DigestSchema = z.custom<Digest>(
  (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
)
const maxScripts = 32

/** The providers of one replica. */
export function createModelProviders(config: ModelProvidersConfig): ModelProviders {
  const limiters = {
    openai: createLimiter(limitsOf(config, 'openai')),
    anthropic: createLimiter(limitsOf(config, 'anthropic')),
  }
  const services = new Map<string, ModelProvider>()
  const scripts = new Map<string, ModelProvider>()

  const serviceProvider = (service: Service, model: string, isFallback: boolean): ModelProvider => {
    const key = `${service}:${model}${isFallback ? '#fallback' : ''}`
    const known = services.get(key)
    if (known !== undefined) return known
    const fallback = isFallback ? undefined : fallbackOf(service)
    const provider = withLimiter(createService(config, service, model), limiters[service], fallback)
    services.set(key, provider)
    return provider
  }
  const fallbackOf = (service: Service): ModelProvider | undefined => {
    const spec = config[service]?.fallback
    if (spec === undefined) return undefined
    const parsed = parseModelSpec(spec)
    if (parsed.service === 'scripted') throw invalid('fallback', 'is a script', remedy)
    return serviceProvider(parsed.service, parsed.model, true)
  }
  return {
    resolve: async (spec, signal) => {
      const parsed = parseModelSpec(spec)
      if (parsed.service !== 'scripted') return serviceProvider(parsed.service, parsed.model, false)
      const known = scripts.get(spec)
      if (known !== undefined) return known
      const script = scriptPart(
        parseScript(await config.loadScript(parsed.digest, signal)),
        parsed.pointer,
      )
      const timing = config.timing === undefined ? {} : { timing: config.timing }
      const provider = createScriptedProvider(script, { id: spec, ...timing })
      if (scripts.size >= maxScripts) scripts.delete(scripts.keys().next().value ?? '')
      scripts.set(spec, provider)
      return provider
    },
    check: (spec) => {
      const parsed = parseModelSpec(spec)
      if (parsed.service !== 'scripted') serviceProvider(parsed.service, parsed.model, false)
    },
  }
}

/** The parts of `openai:NAME`, `anthropic:NAME` or `scripted:DIGEST`, the last with an optional `#/children/ID`. */
export function parseModelSpec(spec: string): ModelSpec {
  const colon = spec.indexOf(':')
  const service = spec.slice(0, Math.max(0, colon))
  const name = spec.slice(colon + 1)
  if (colon === -1 || name.trim() === '') throw invalid('model', `"${spec}" names no model`, remedy)
  if (service === 'openai' || service === 'anthropic') return { service, model: name }
  if (service !== 'scripted') throw invalid('model', `unknown model service "${service}"`, remedy)
  const [digestText = '', pointer = ''] = name.split('#')
  const digest = DigestSchema.safeParse(digestText)
  if (!digest.success)
    throw invalid('model', `"${digestText}" is not the SHA-256 of a script`, remedy)
  return { service, digest: digest.data, pointer }
}

function limitsOf(config: ModelProvidersConfig, service: Service): ModelLimits {
  const timing = config.timing === undefined ? {} : { timing: config.timing }
  return { ...timing, ...config[service]?.limits }
}

function createService(
  config: ModelProvidersConfig,
  service: Service,
  model: string,
): ModelProvider {
  const { apiKey, baseUrl, idleTimeoutMs, parameters } = config[service] ?? {}
  if (apiKey === undefined || apiKey === '') {
    const what = `model ${service}:${model} needs ${keyNames[service]}, which is not set`
    throw invalid('model', what, keyHints[service])
  }
  const options: ServiceOptions = {
    apiKey,
    model,
    loadImage: config.loadImage,
    sees: config.sees(model),
    ...(baseUrl === undefined || baseUrl === '' ? {} : { baseUrl }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(config.timing === undefined ? {} : { timing: config.timing }),
  }
  return service === 'openai' ? createOpenAiProvider(options) : createAnthropicProvider(options)
}

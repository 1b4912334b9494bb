import type Anthropic from '@anthropic-ai/sdk'
import { type ModelProvider } from '../../model-provider.js'
import { createAnthropicAssembly } from './anthropic-assembly.js'
import { toAnthropicMessages, toAnthropicTools, toSystem } from './anthropic-messages.js'
import { serviceFetch } from './service-fetch.js'
import { type ServiceOptions, toServiceContext } from './service-options.js'
import { streamTurn } from './stream-turn.js'

const officialBaseUrl = 'https://api.anthropic.com'
const maxImageBytes = 5 * 1024 * 1024

/** Any service that speaks Anthropic messages. */
export function createAnthropicProvider(options: ServiceOptions): ModelProvider {
  const context = toServiceContext('anthropic', options)
  const id = `anthropic:${options.model}`
  const held: { client?: Promise<Anthropic> } = {}
  return {
    id,
    complete: async (request, { signal, onDelta }) => {
      const { loadImage, sees } = options
      const images = { loadImage, sees, maxImageBytes, signal }
      const messages = await toAnthropicMessages(request, id, images)
      const system = toSystem(request)
      const tools = toAnthropicTools(request)
      const toolChoice =
        request.tools.length === 0 ? { tool_choice: { type: 'none' as const } } : {}
      const body: Anthropic.MessageCreateParamsStreaming = {
        ...options.parameters,
        model: options.model,
        max_tokens: request.maxOutputTokens,
        messages,
        ...(system.length > 0 ? { system } : {}),
        ...(tools.length > 0 ? { tools, ...toolChoice } : {}),
        stream: true,
      }
      const assembly = createAnthropicAssembly({
        source: id,
        model: options.model,
        request,
        onDelta,
      })
      const client = await (held.client ??= connect(options, context.idleTimeoutMs))
      const open = async (inner: AbortSignal): Promise<AsyncIterable<unknown>> =>
        // Not `messages.create`: that one writes to the console for every call of an older model.
        client.post<AsyncIterable<unknown>>('/v1/messages', { body, stream: true, signal: inner })
      await streamTurn({ ...assembly, open }, context, signal)
      return assembly.turn()
    },
  }
}

/** The SDK is hundreds of modules: loaded when the first model is asked, not at every start. */
async function connect(options: ServiceOptions, idleTimeoutMs: number): Promise<Anthropic> {
  const { default: Client } = await import('@anthropic-ai/sdk')
  return new Client({
    apiKey: options.apiKey,
    // The SDK adds the version itself, people write it out of habit.
    baseURL: (options.baseUrl ?? officialBaseUrl).replace(/\/v1\/?$/, ''),
    webhookKey: null,
    maxRetries: 0,
    // Ours ends the call first; this one only bounds the wait for the headers.
    timeout: idleTimeoutMs * 2,
    logLevel: 'off',
    // Spans of the SDK would carry prompts past our own redaction.
    openTelemetry: false,
    fetch: serviceFetch,
  })
}

import type OpenAI from 'openai'
import { type ModelProvider, type ModelRequest } from '../../model-provider.js'
import { createOpenAiAssembly } from './openai-assembly.js'
import { toOpenAiMessages, toOpenAiTools } from './openai-messages.js'
import { chunkingFetch } from './service-fetch.js'
import { type ServiceOptions, toServiceContext } from './service-options.js'
import { streamTurn } from './stream-turn.js'

const officialBaseUrl = 'https://api.openai.com/v1'
const maxImageBytes = 20 * 1024 * 1024

/** Any service that speaks chat completions. */
export function createOpenAiProvider(options: ServiceOptions): ModelProvider {
  const context = toServiceContext('openai', options)
  const id = `openai:${options.model}`
  const baseURL = options.baseUrl ?? officialBaseUrl
  const held: { client?: Promise<OpenAI> } = {}
  return {
    id,
    complete: async (request, { signal, onDelta }) => {
      const { loadImage, sees } = options
      const images = { loadImage, sees, maxImageBytes, signal }
      const messages = await toOpenAiMessages(request, id, images)
      const tools = toOpenAiTools(request)
      const body: OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming = {
        ...options.parameters,
        model: options.model,
        messages,
        ...(tools.length > 0 ? { tools } : {}),
        ...outputLimit(baseURL, request),
        stream: true,
        stream_options: { include_usage: true },
      }
      const assembly = createOpenAiAssembly({ source: id, model: options.model, request, onDelta })
      const client = await (held.client ??= connect(options, context.idleTimeoutMs))
      const open = async (inner: AbortSignal): Promise<AsyncIterable<unknown>> =>
        client.chat.completions.create(body, { signal: inner })
      await streamTurn({ ...assembly, open }, context, signal)
      return assembly.turn()
    },
  }
}

/** The SDK is hundreds of modules: loaded when the first model is asked, not at every start. */
async function connect(options: ServiceOptions, idleTimeoutMs: number): Promise<OpenAI> {
  const { default: Client } = await import('openai')
  return new Client({
    apiKey: options.apiKey,
    baseURL: options.baseUrl ?? officialBaseUrl,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Ours ends the call first; this one only bounds the wait for the headers.
    timeout: idleTimeoutMs * 2,
    logLevel: 'off',
    fetch: chunkingFetch,
  })
}

/** OpenAI's newer models refuse the old name of this field; most compatible services know only that one. */
function outputLimit(
  baseUrl: string,
  request: ModelRequest,
): { max_completion_tokens: number } | { max_tokens: number } {
  const official = new URL(baseUrl).hostname.endsWith('.openai.com')
  return official
    ? { max_completion_tokens: request.maxOutputTokens }
    : { max_tokens: request.maxOutputTokens }
}

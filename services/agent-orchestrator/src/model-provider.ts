import { type Digest } from '@sciencediscovery/kernel'

/** One tool call as the model asked for it. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  /** Exactly the text the provider sent, also when it does not parse. */
  readonly argumentsText: string
}

/** An image that a message carries, by content. */
export interface ModelImage {
  readonly mediaType: string
  readonly digest: Digest
}

/** One entry of the conversation, oldest first, as the provider gets it. */
export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly toolCalls: readonly ModelToolCall[]
      /** Provider fields we do not know (reasoning content, signatures), sent back as they came. */
      readonly extra?: Readonly<Record<string, unknown>>
    }
  | {
      readonly role: 'tool'
      readonly callId: string
      readonly name: string
      readonly text: string
      readonly isError: boolean
      /** Structured result; only the scripted provider reads it, to resolve references. */
      readonly details?: unknown
      readonly images?: readonly ModelImage[]
    }

/** A tool as the model sees it. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** One model call. */
export interface ModelRequest {
  /** Model turns this agent has completed in its session: the scripted provider's place in its file. */
  readonly turnsCompleted: number
  /** 1 for the first try of this turn; counted in events. */
  readonly attempt: number
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly maxOutputTokens: number
}

/** Tokens of one call; absent when the provider does not say: omitted rather than wrong. */
export interface ModelUsage {
  /** All input tokens, whatever came from or went into a cache included. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of `inputTokens` that was read from the provider's cache. */
  readonly cachedInputTokens?: number
  /** The part of `inputTokens` that was written to the provider's cache, where that has its own price. */
  readonly cacheWriteInputTokens?: number
}

/** What one model call gave. */
export interface ModelTurn {
  readonly text: string
  readonly toolCalls: readonly ModelToolCall[]
  readonly stop: 'end' | 'tool_calls' | 'length' | 'refused'
  readonly usage?: ModelUsage
  /** The model that answered, as the provider names it. */
  readonly model: string
  readonly extra?: Readonly<Record<string, unknown>>
}

/** A piece of a turn while it streams. Shown to people, never stored. */
export type ModelDelta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly callId: string; readonly name: string }

/** Reasons a model call fails, in `PlatformError.details.reason`. */
export type ModelFailureReason =
  | 'rate_limited'
  | 'unauthorized'
  | 'server_error'
  | 'timeout'
  | 'transport_error'
  | 'context_overflow'
  | 'semantic_error'
  | 'script_exhausted'
  | 'script_reference'

/**
 * A model service. Does not retry by itself: a failure before the first streamed byte is a
 * PlatformError with code `unavailable`, `exhausted` or `deadline` (retryable); any other code is final.
 */
export interface ModelProvider {
  /** `openai:NAME`, `anthropic:NAME`, `scripted:DIGEST`. */
  readonly id: string
  complete(
    request: ModelRequest,
    options: { readonly signal: AbortSignal; readonly onDelta: (delta: ModelDelta) => void },
  ): Promise<ModelTurn>
}

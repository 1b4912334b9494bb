import { z } from 'zod'
import { type ModelUsage } from '../../model-provider.js'

const UsageSchema = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
})
export type AnthropicUsage = z.infer<typeof UsageSchema>

const BlockSchema = z.looseObject({ type: z.string() })
const DeltaSchema = z.object({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  partial_json: z.string().optional(),
})

/** What the messages service streams; kinds of events and blocks that we do not know are let through. */
export const AnthropicEventSchema = z.object({
  type: z.string(),
  index: z.number().int().optional(),
  message: z.object({ model: z.string().optional(), usage: UsageSchema.nullish() }).optional(),
  content_block: BlockSchema.optional(),
  delta: DeltaSchema.partial().extend({ stop_reason: z.string().nullish() }).optional(),
  usage: UsageSchema.nullish(),
})
export type AnthropicEvent = z.infer<typeof AnthropicEventSchema>

/**
 * Token counts, or nothing when the service does not say. Anthropic counts cached input beside
 * `input_tokens`; we count it inside, as the other service does.
 */
export function toAnthropicUsage(usage: AnthropicUsage): ModelUsage | undefined {
  const { input_tokens: input, output_tokens: output } = usage
  if (typeof input !== 'number' || typeof output !== 'number') return undefined
  const cached = usage.cache_read_input_tokens ?? 0
  const written = usage.cache_creation_input_tokens ?? 0
  return {
    inputTokens: input + cached + written,
    outputTokens: output,
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(written > 0 ? { cacheWriteInputTokens: written } : {}),
  }
}

/** Later counts replace earlier ones, field by field. */
export function mergeUsage(
  before: AnthropicUsage,
  after: AnthropicUsage | null | undefined,
): AnthropicUsage {
  const said = Object.entries(after ?? {}).filter(([, count]) => typeof count === 'number')
  return { ...before, ...Object.fromEntries(said) }
}

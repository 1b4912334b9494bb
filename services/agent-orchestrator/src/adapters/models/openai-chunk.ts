import { z } from 'zod'
import { type ModelUsage } from '../../model-provider.js'

const ToolCallDeltaSchema = z.looseObject({
  index: z.number().int().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown() }).partial().nullish(),
})
export type OpenAiToolCallDelta = z.infer<typeof ToolCallDeltaSchema>

const PartSchema = z.looseObject({ type: z.string(), text: z.string().optional() })
const DeltaSchema = z.looseObject({
  content: z.union([z.string(), z.array(PartSchema)]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolCallDeltaSchema).nullish(),
})
export type OpenAiDelta = z.infer<typeof DeltaSchema>

const UsageSchema = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  prompt_cache_hit_tokens: z.number().nullish(),
  prompt_tokens_details: z
    .object({ cached_tokens: z.number().nullish(), cache_write_tokens: z.number().nullish() })
    .nullish(),
})

/** What compatible services stream; fields we do not know stay in the delta. */
export const OpenAiChunkSchema = z.object({
  model: z.string().min(1).nullish().catch(undefined),
  choices: z
    .array(
      z.object({
        delta: DeltaSchema.nullish(),
        message: DeltaSchema.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: UsageSchema.nullish().catch(undefined),
})

/** Token counts, or nothing when the service does not say. */
export function toUsage(
  usage: z.infer<typeof UsageSchema> | null | undefined,
): ModelUsage | undefined {
  if (usage === null || usage === undefined) return undefined
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens
  const written = usage.prompt_tokens_details?.cache_write_tokens
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    ...(typeof cached === 'number' ? { cachedInputTokens: cached } : {}),
    ...(typeof written === 'number' && written > 0 ? { cacheWriteInputTokens: written } : {}),
  }
}

/** The text of a content field, which some services send as parts. */
export function contentText(content: OpenAiDelta['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}

import { readFileSync } from 'node:fs'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type ModelUsage } from '../../model-provider.js'

const usdPerMillion = z.number().nonnegative()
const RatesSchema = z.strictObject({
  input: usdPerMillion,
  output: usdPerMillion,
  cached: usdPerMillion,
  cacheWrite: usdPerMillion.optional(),
})
type Rates = z.infer<typeof RatesSchema>

const PriceSchema = RatesSchema.extend({
  source: z.string(),
  /** The model takes images. */
  vision: z.boolean().optional(),
  /** A prompt above this size is billed at these rates, all of it. */
  longPrompt: RatesSchema.extend({ aboveInputTokens: z.number().int().positive() }).optional(),
  /** Above this size there is another tariff that the list does not have. */
  knownUpToInputTokens: z.number().int().positive().optional(),
})
const PriceListSchema = z.strictObject({
  unit: z.literal('USD per million tokens'),
  note: z.string(),
  sources: z.record(z.string(), z.strictObject({ source: z.string(), asOf: z.iso.date() })),
  models: z.record(z.string(), PriceSchema),
})
/** Prices by model name, with where and when they were read. */
export type PriceList = z.infer<typeof PriceListSchema>

const shippedFile = new URL('../../../prices.json', import.meta.url)
const datedSuffix = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/
const prefix = /^(?:openai|anthropic):/

/** The price list in that file, the shipped one unless told otherwise. */
export function readPrices(file: URL | string = shippedFile): PriceList {
  const parsed = PriceListSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (parsed.success) return parsed.data
  const [first] = parsed.error.issues
  throw new PlatformError(
    'invalid',
    `prices: ${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`,
  )
}

/**
 * Cost of one call in USD. Undefined when the model has no listed price or the service did not
 * count tokens: unknown is said to be unknown, never zero.
 */
export function priceOf(
  model: string,
  usage: ModelUsage | undefined,
  prices: PriceList,
): number | undefined {
  const name = model.replace(prefix, '')
  const price = entry(prices, name) ?? entry(prices, name.replace(datedSuffix, ''))
  if (price === undefined || usage === undefined) return undefined
  if (usage.inputTokens > (price.knownUpToInputTokens ?? Infinity)) return undefined
  const long = price.longPrompt
  return costAt(
    long !== undefined && usage.inputTokens > long.aboveInputTokens ? long : price,
    usage,
  )
}

/** Whether a model takes images, as far as the list knows. */
export function canSee(model: string, prices: PriceList): boolean {
  const name = model.replace(prefix, '')
  const listed = entry(prices, name) ?? entry(prices, name.replace(datedSuffix, ''))
  return listed?.vision === true
}

function entry(prices: PriceList, name: string): PriceList['models'][string] | undefined {
  return Object.hasOwn(prices.models, name) ? prices.models[name] : undefined
}

function costAt(rates: Rates, usage: ModelUsage): number {
  const cached = usage.cachedInputTokens ?? 0
  const written = usage.cacheWriteInputTokens ?? 0
  const plain = Math.max(0, usage.inputTokens - cached - written)
  const sum =
    plain * rates.input +
    cached * rates.cached +
    written * (rates.cacheWrite ?? rates.input) +
    usage.outputTokens * rates.output
  return sum / 1_000_000
}

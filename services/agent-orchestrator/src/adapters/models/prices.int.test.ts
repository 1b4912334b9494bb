import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canSee, priceOf, readPrices } from './prices.js'

const prices = readPrices()
const million = 1_000_000

describe('prices › the shipped list', () => {
  test('every price cites a source with its date', () => {
    for (const { source } of Object.values(prices.models))
      expect(prices.sources[source]?.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  })

  test.each([
    ['claude-haiku-4-5', { inputTokens: million, outputTokens: million }, 6],
    ['anthropic:claude-haiku-4-5-20251001', { inputTokens: million, outputTokens: 0 }, 1],
    [
      'claude-haiku-4-5',
      { inputTokens: million, outputTokens: 0, cachedInputTokens: million },
      0.1,
    ],
    [
      'claude-haiku-4-5',
      { inputTokens: million, outputTokens: 0, cacheWriteInputTokens: million },
      1.25,
    ],
    ['gpt-5.1-2025-11-13', { inputTokens: million, outputTokens: million }, 11.25],
    ['gpt-5.4', { inputTokens: 100_000, outputTokens: 0 }, 0.25],
    ['gpt-5.4', { inputTokens: 300_000, outputTokens: 100_000 }, 1.5 + 2.25],
    ['gpt-6-sol', { inputTokens: 272_000, outputTokens: 0 }, 0.544],
  ])('%s costs for %j %d dollars', (model, usage, usd) => {
    expect(priceOf(model, usage, prices)).toBeCloseTo(usd, 9)
  })

  test('a model takes images when the list says so, and only then', () => {
    expect(canSee('gpt-5.4', prices)).toBe(true)
    expect(canSee('anthropic:claude-haiku-4-5-20251001', prices)).toBe(true)
    expect(canSee('gpt-5.4-turbo', prices)).toBe(false)
    expect(canSee('constructor', prices)).toBe(false)
  })

  test.each([
    ['a model that is not listed', 'gpt-5.4-turbo', { inputTokens: 1, outputTokens: 1 }],
    ['a name of the object itself', 'constructor', { inputTokens: 1, outputTokens: 1 }],
    ['a prompt above the known tariff', 'gpt-6-sol', { inputTokens: 272_001, outputTokens: 0 }],
    ['a call whose tokens were not counted', 'gpt-5.4', undefined],
  ])('%s has no price', (_what, model, usage) => {
    expect(priceOf(model, usage, prices)).toBeUndefined()
  })
})

describe('prices › a list of one’s own', () => {
  test('a mistake names its place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prices-'))
    const file = join(folder, 'prices.json')
    const models = { m: { input: -1, output: 1, cached: 1, source: 's' } }
    await writeFile(
      file,
      JSON.stringify({ unit: 'USD per million tokens', note: '', sources: {}, models }),
    )
    expect(() => readPrices(file)).toThrow('prices: models.m.input')
    await rm(folder, { recursive: true })
  })
})

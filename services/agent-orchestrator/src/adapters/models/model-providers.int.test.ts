import { describe, expect, test } from 'vitest'
import { sse, startLoopbackService } from './loopback-service-fixture.js'
import {
  createModelProviders,
  type ModelProvidersConfig,
  parseModelSpec,
} from './model-providers.js'
import { collectDeltas, failureOf, requestWith } from './request-fixture.js'

const digest = 'a'.repeat(64)
const free = new AbortController().signal
const loads: string[] = []
const config: ModelProvidersConfig = {
  loadScript: async (wanted) => {
    loads.push(wanted)
    return Promise.resolve(
      '{"turns":[{"text":"main"}],"children":{"ta":{"turns":[{"text":"child"}]}}}',
    )
  },
  sees: () => true,
  loadImage: async () => Promise.resolve(new Uint8Array()),
}

describe('model providers › specs', () => {
  test.each([
    ['openai:gpt:x', { service: 'openai', model: 'gpt:x' }],
    ['anthropic:claude', { service: 'anthropic', model: 'claude' }],
    [`scripted:${digest}#/children/ta`, { service: 'scripted', digest, pointer: '/children/ta' }],
  ])('%s is understood', (spec, parts) => {
    expect(parseModelSpec(spec)).toEqual(parts)
  })

  test.each([
    ['gpt-5', '"gpt-5" names no model'],
    ['openai:', '"openai:" names no model'],
    ['google:gemini', 'unknown model service "google"'],
    ['scripted:demo.json', '"demo.json" is not the SHA-256 of a script'],
  ])('%s is refused with what to send instead', (spec, message) => {
    expect(() => parseModelSpec(spec)).toThrow(message)
    expect(() => parseModelSpec(spec)).toThrow(
      expect.objectContaining({
        details: { field: 'model', remedy: 'send openai:NAME, anthropic:NAME or scripted:FILE' },
      }),
    )
  })

  test.each([
    ['openai:m', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
    ['anthropic:m', 'ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY'],
  ])('%s without a key names %s', async (spec, name, hint) => {
    const failure = await failureOf(createModelProviders(config).resolve(spec, free))
    expect(failure.code).toBe('invalid')
    expect(failure.message).toContain(`needs ${name}, which is not set`)
    expect(failure.details.remedy).toContain(hint)
    expect(() => createModelProviders({ ...config, openai: { apiKey: '' } }).check(spec)).toThrow(
      name,
    )
  })
})

describe('model providers › scripts', () => {
  test('a script is loaded once per spec and plays the part that the spec names', async () => {
    const providers = createModelProviders(config)
    const texts = []
    for (const spec of [
      `scripted:${digest}`,
      `scripted:${digest}#/children/ta`,
      `scripted:${digest}`,
    ]) {
      const provider = await providers.resolve(spec, free)
      expect(provider.id).toBe(spec)
      texts.push((await provider.complete(requestWith([]), collectDeltas().options)).text)
    }
    expect(texts).toEqual(['main', 'child', 'main'])
    expect(loads).toEqual([digest, digest])
  })
})

describe('model providers › services', () => {
  test('runs share one provider per model, and an overloaded service hands over to its fallback', async () => {
    await using busy = await startLoopbackService([
      { status: 429, headers: { 'retry-after': '30' } },
    ])
    await using spare = await startLoopbackService([
      {
        chunks: [
          sse(
            {
              type: 'content_block_start',
              index: 0,
              content_block: { type: 'text', text: 'spare' },
            },
            'content_block_start',
          ),
          sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, 'message_delta'),
        ],
      },
    ])
    const providers = createModelProviders({
      ...config,
      openai: { apiKey: 'k', baseUrl: busy.url, fallback: 'anthropic:claude' },
      anthropic: { apiKey: 'k', baseUrl: spare.url },
    })
    const provider = await providers.resolve('openai:m', free)
    expect(await providers.resolve('openai:m', free)).toBe(provider)
    for (let call = 0; call < 2; call += 1) {
      const turn = await provider.complete(requestWith([]), collectDeltas().options)
      expect([turn.text, turn.model]).toEqual(['spare', 'claude'])
    }
    expect([busy.requests.length, spare.requests.length]).toEqual([1, 2])
  })
})

import { PlatformError } from '@sciencediscovery/kernel'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type ModelProvider } from '../../model-provider.js'
import { createLimiter, type ModelLimits } from './limiter.js'
import { collectDeltas, failureOf, requestWith } from './request-fixture.js'
import { createManualTiming } from './timing-fixture.js'
import { withLimiter } from './with-limiter.js'

const free = new AbortController().signal

function setUp(limits: ModelLimits) {
  const timing = createManualTiming()
  const limiter = createLimiter({ ...limits, timing })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const ask = async (name: string, signal: AbortSignal = free): Promise<void> => {
    ends.set(name, await limiter.acquire(signal))
    started.push(name)
  }
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await nextLoop()
  }
  return { timing, limiter, started, ask, end }
}

describe('limiter › concurrency', () => {
  test('calls beyond it start in the order they came, one per end', async () => {
    const { started, ask, end } = setUp({ concurrency: 2 })
    const all = Promise.all(['a', 'b', 'c', 'd'].map(async (name) => ask(name)))
    await nextLoop()
    expect(started).toEqual(['a', 'b'])
    await end('b')
    await end('b')
    expect(started).toEqual(['a', 'b', 'c'])
    await end('a')
    await all
    expect(started).toEqual(['a', 'b', 'c', 'd'])
  })

  test('an aborted wait leaves the queue and takes no place', async () => {
    const { started, ask, end } = setUp({ concurrency: 1 })
    const abort = new AbortController()
    await ask('a')
    const gone = ask('b', abort.signal)
    const last = ask('c')
    abort.abort()
    expect((await failureOf(gone)).code).toBe('cancelled')
    await end('a')
    await last
    expect(started).toEqual(['a', 'c'])
    expect((await failureOf(ask('d', abort.signal))).code).toBe('cancelled')
  })
})

describe('limiter › time', () => {
  test('the rate holds in any minute', async () => {
    const { timing, started, ask } = setUp({ requestsPerMinute: 2 })
    await ask('a')
    await timing.advance(10_000)
    await ask('b')
    const all = Promise.all([ask('c'), ask('d')])
    await timing.advance(49_999)
    expect(started).toEqual(['a', 'b'])
    await timing.advance(1)
    expect(started).toEqual(['a', 'b', 'c'])
    await timing.advance(10_000)
    await all
    expect(started).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a cool-down stops everybody, a longer one replaces it, a shorter one does not', async () => {
    const { timing, limiter, started, ask } = setUp({})
    expect(limiter.coolDown(1000)).toBe(1000)
    const call = ask('a')
    expect(limiter.coolDown(3000)).toBe(3000)
    expect(limiter.coolDown(10)).toBe(3000)
    await timing.advance(2999)
    expect(started).toEqual([])
    await timing.advance(1)
    await call
    expect(timing.waits()).toEqual([])
  })

  test('a pause beyond the bound is not waited for', async () => {
    const { limiter, ask } = setUp({ maxWaitMs: 500 })
    limiter.coolDown(undefined)
    const failure = await failureOf(ask('a'))
    expect([failure.code, failure.details]).toEqual([
      'exhausted',
      { reason: 'rate_limited', retryAfterMs: 20_000 },
    ])
  })

  test('no timer is left when the last waiter goes', async () => {
    const { timing, limiter, ask } = setUp({})
    limiter.coolDown(1000)
    const abort = new AbortController()
    const call = ask('a', abort.signal)
    expect(timing.waits()).toEqual([1000])
    abort.abort()
    await failureOf(call)
    expect(timing.waits()).toEqual([])
  })
})

describe('limited provider', () => {
  const answering = (
    id: string,
    failures: PlatformError[] = [],
  ): ModelProvider & { readonly asked: number[] } => {
    const asked: number[] = []
    return {
      id,
      asked,
      complete: async ({ turnsCompleted }) => {
        asked.push(turnsCompleted)
        const failure = failures.shift()
        if (failure !== undefined) throw failure
        return Promise.resolve({ text: id, toolCalls: [], stop: 'end', model: id })
      },
    }
  }
  const failing = (
    code: 'exhausted' | 'unavailable' | 'unknown' | 'invalid',
    reason: string,
  ): PlatformError => new PlatformError(code, 'no', { reason })
  const ask = async (provider: ModelProvider) =>
    provider.complete(requestWith([]), collectDeltas().options)

  test('a 429 of one run pauses all runs of the replica, and says for how long', async () => {
    const timing = createManualTiming()
    const limiter = createLimiter({ timing, coolDownMs: 700 })
    const first = withLimiter(answering('a', [failing('exhausted', 'rate_limited')]), limiter)
    const second = withLimiter(answering('b'), limiter)
    expect((await failureOf(ask(first))).details).toEqual({
      reason: 'rate_limited',
      retryAfterMs: 700,
    })
    const call = ask(second)
    await nextLoop()
    expect(timing.waits()).toEqual([700])
    await timing.advance(700)
    expect((await call).text).toBe('b')
  })

  test('a failed call gives its place back', async () => {
    const provider = withLimiter(answering('a', [failing('unavailable', 'server_error')]), {
      concurrency: 1,
    })
    await failureOf(ask(provider))
    expect((await ask(provider)).text).toBe('a')
  })

  test('the fallback answers while the first model is overloaded or pausing', async () => {
    const timing = createManualTiming()
    const main = answering('main', [failing('exhausted', 'rate_limited')])
    const provider = withLimiter(main, { timing }, answering('spare'))
    expect((await ask(provider)).model).toBe('spare')
    expect((await ask(provider)).model).toBe('spare')
    expect(main.asked).toHaveLength(1)
    await timing.advance(20_000)
    expect((await ask(provider)).model).toBe('main')
  })

  test.each(['unknown', 'invalid'] as const)('the fallback is not asked after %s', async (code) => {
    const spare = answering('spare')
    const provider = withLimiter(answering('main', [failing(code, 'x')]), {}, spare)
    expect((await failureOf(ask(provider))).code).toBe(code)
    expect(spare.asked).toEqual([])
  })

  test.each([
    ['invalid', 'unavailable'],
    ['unknown', 'unknown'],
  ] as const)('a fallback that fails with %s leaves %s', async (code, left) => {
    const main = answering('main', [failing('unavailable', 'server_error')])
    const provider = withLimiter(main, {}, answering('spare', [failing(code, 'x')]))
    expect((await failureOf(ask(provider))).code).toBe(left)
  })
})

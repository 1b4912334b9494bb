import { setImmediate as nextLoop } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { streamTurn } from './stream-turn.js'
import { failureOf } from './request-fixture.js'
import { createManualTiming } from './timing-fixture.js'

/** A stream that gives a chunk when told to. */
function setUp() {
  const timing = createManualTiming()
  const abort = new AbortController()
  const chunks = new EventTarget()
  const accepted: unknown[] = []
  let streamSignal = abort.signal
  const next = async (): Promise<Event> =>
    new Promise((resolve, reject) => {
      chunks.addEventListener('chunk', resolve, { once: true })
      chunks.addEventListener('broken', () => reject(new Error('socket hang up')), { once: true })
      streamSignal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    })
  async function* stream(): AsyncGenerator<number> {
    for (let count = 1; ; count += 1) {
      await next()
      yield count
    }
  }
  const context = {
    service: 's',
    redact: (text: string) => text,
    now: timing.now,
    timing,
    idleTimeoutMs: 100,
  }
  const turn = streamTurn(
    {
      open: async (signal) => {
        streamSignal = signal
        return Promise.resolve(stream())
      },
      accept: (chunk) => accepted.push(chunk),
      isComplete: () => accepted.length >= 3,
    },
    context,
    abort.signal,
  )
  const send = async (event: 'chunk' | 'broken'): Promise<void> => {
    await nextLoop()
    chunks.dispatchEvent(new Event(event))
    await nextLoop()
  }
  return { timing, abort, accepted, turn, send }
}

describe('streamed turn › silence (X-05)', () => {
  test('the time starts again with each chunk', async () => {
    const { timing, accepted, turn, send } = setUp()
    for (const chunk of [1, 2]) {
      await timing.advance(80)
      await send('chunk')
      expect(accepted).toHaveLength(chunk)
    }
    await timing.advance(99)
    const failure = failureOf(turn)
    await timing.advance(1)
    expect(await failure).toMatchObject({ code: 'unknown', details: { reason: 'timeout' } })
    expect(timing.waits()).toEqual([])
  })

  test('silence before the first chunk can be tried again', async () => {
    const { timing, turn } = setUp()
    const failure = failureOf(turn)
    await timing.advance(100)
    expect(await failure).toMatchObject({ code: 'deadline', message: 's sent nothing for 100 ms' })
  })
})

describe('streamed turn › ends', () => {
  test('a turn that was whole before the connection broke is a turn, and no timer is left', async () => {
    const { timing, accepted, turn, send } = setUp()
    for (const event of ['chunk', 'chunk', 'chunk', 'broken'] as const) await send(event)
    await turn
    expect(accepted).toEqual([1, 2, 3])
    expect(timing.waits()).toEqual([])
  })

  test('an abort wins over everything else', async () => {
    const { abort, turn, send } = setUp()
    for (const event of ['chunk', 'chunk', 'chunk'] as const) await send(event)
    abort.abort()
    expect((await failureOf(turn)).code).toBe('cancelled')
  })
})

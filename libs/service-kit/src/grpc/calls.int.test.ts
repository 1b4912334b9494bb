import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { delay } from '../delay.js'
import { waitFor } from '../wait-for.js'
import type { Call } from './call.js'
import { collect, startEcho } from './echo-fixture.js'

async function* items(count: number, text = 'x') {
  for (let n = 0; n < count; n += 1) {
    await Promise.resolve()
    yield { text }
  }
}

/** A stream that never ends by itself and says when it was left. */
function endless(): {
  stream: (call: Call) => AsyncIterable<{ text: string }>
  sent: () => number
  left: () => boolean
} {
  let sent = 0
  let left = false
  return {
    async *stream() {
      try {
        for (;;) {
          await Promise.resolve()
          sent += 1
          yield { text: 'x'.repeat(64 * 1024) }
        }
      } finally {
        left = true
      }
    },
    sent: () => sent,
    left: () => left,
  }
}

describe('grpc calls', () => {
  test('a unary call brings the answer back, and the handler knows who asks', async () => {
    const seen: Call[] = []
    await using echo = await startEcho({
      sayBack: (request, call) => {
        seen.push(call)
        return Promise.resolve(request)
      },
    })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const answer = await echo.client.sayBack({ text: 'hello' }, { traceparent, timeoutMs: 5_000 })
    expect(answer).toEqual({ text: 'hello' })
    const [call] = seen
    expect(call?.principal).toEqual({ id: 'ada', roles: ['member'] })
    expect(call?.method).toBe('/sciencediscovery.echo.v1.EchoService/SayBack')
    expect(call?.traceparent).toBe(traceparent)
    expect(call?.peer).toMatch(/^127\.0\.0\.1:\d+$/)
    expect((call?.deadlineAt ?? 0) - Date.now()).toBeGreaterThan(1_000)
    expect(call?.signal.aborted).toBe(false)
  })

  test('a server stream arrives whole and in order', async () => {
    await using echo = await startEcho()
    const received = await collect(echo.client.watchCount({ to: 1_000 }))
    expect(received.map(({ text }) => Number(text))).toEqual(
      Array.from({ length: 1_000 }, (_, n) => n + 1),
    )
  })

  test('an empty stream either way is an answer, not an error', async () => {
    await using echo = await startEcho()
    expect(await collect(echo.client.watchCount({ to: 0 }))).toEqual([])
    expect(await echo.client.upload(items(0))).toEqual({ items: 0, sizeBytes: 0 })
  })

  test('a client stream of 20 MiB arrives whole (BR-087)', async () => {
    await using echo = await startEcho()
    const total = await echo.client.upload(items(320, 'y'.repeat(64 * 1024)))
    expect(total).toEqual({ items: 320, sizeBytes: 20 * 1024 * 1024 })
  })

  test('a slow reader holds the sender back', async () => {
    const source = endless()
    await using echo = await startEcho({ watchCount: (_request, call) => source.stream(call) })
    const iterator = echo.client.watchCount({ to: 0 })[Symbol.asyncIterator]()
    await iterator.next()
    const settled = await waitFor(async () => {
      const before = source.sent()
      await delay(100)
      return source.sent() === before && before
    })
    expect(settled).toBeLessThan(64)
    for (let n = 0; n < 100; n += 1) await iterator.next()
    expect(source.sent()).toBeGreaterThan(100)
    await iterator.return?.()
    await waitFor(source.left)
  })

  test('a slow receiver holds the uploader back', async () => {
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    await using echo = await startEcho({
      async upload(requests) {
        await gate
        return { items: (await collect(requests)).length, sizeBytes: 0 }
      },
    })
    let produced = 0
    async function* large() {
      for (; produced < 200; produced += 1) {
        await Promise.resolve()
        yield { text: 'z'.repeat(64 * 1024) }
      }
    }
    const upload = echo.client.upload(large())
    const settled = await waitFor(async () => {
      const before = produced
      await delay(100)
      return produced === before && before
    })
    expect(settled).toBeLessThan(64)
    release()
    expect((await upload).items).toBe(200)
  })

  test('an uploader that fails ends the call with its own error, and the handler stops', async () => {
    const errors: unknown[] = []
    await using echo = await startEcho({
      async upload(requests) {
        try {
          return { items: (await collect(requests)).length, sizeBytes: 0 }
        } catch (error) {
          errors.push(error)
          throw error
        }
      },
    })
    async function* broken() {
      yield* items(2)
      throw new PlatformError('not_found', 'file gone')
    }
    await expect(echo.client.upload(broken())).rejects.toMatchObject({ code: 'not_found' })
    const [error] = await waitFor(() => errors.length > 0 && errors)
    expect(error).toMatchObject({ code: 'cancelled' })
  })

  test('an upload cut at any point is never taken for a whole one', async () => {
    const whole: number[] = []
    let ended = 0
    await using echo = await startEcho({
      async upload(requests) {
        try {
          const { length } = await collect(requests)
          whole.push(length)
          return { items: length, sizeBytes: 0 }
        } finally {
          ended += 1
        }
      },
    })
    await echo.client.upload(items(1))
    for (let cut = 1; cut <= 60; cut += 1) {
      const leave = new AbortController()
      async function* cutShort() {
        yield* items(cut, 'c'.repeat(cut * 100))
        if (cut % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
        leave.abort()
        await new Promise(() => undefined)
      }
      const upload = echo.client.upload(cutShort(), { signal: leave.signal })
      await expect(upload).rejects.toMatchObject({ code: 'cancelled' })
    }
    await waitFor(() => ended > 50)
    expect(whole).toEqual([1])
  })

  test('a server that refuses an upload early stops the uploader', async () => {
    await using echo = await startEcho({
      upload: () => Promise.reject(new PlatformError('exhausted', 'quota reached')),
    })
    const source = endless()
    const call = { signal: AbortSignal.timeout(20_000) }
    const upload = echo.client.upload(source.stream(undefined!), call)
    await expect(upload).rejects.toMatchObject({ code: 'exhausted', message: 'quota reached' })
    await waitFor(source.left)
  })

  test('errors of a handler arrive with code, message and details', async () => {
    const details = {
      field: 'plan[3].step',
      remedy: 'send a step',
      reason: 'no_step',
      retryAfterMs: 250,
    }
    await using echo = await startEcho({
      sayBack: () =>
        Promise.reject(new PlatformError('invalid', 'plan[3].step: missing ünïcode\n€', details)),
    })
    await expect(echo.client.sayBack({ text: '' })).rejects.toMatchObject({
      name: 'PlatformError',
      code: 'invalid',
      message: 'plan[3].step: missing ünïcode\n€',
      details,
    })
  })

  test('a stream that fails after some items delivers them, then the error', async () => {
    await using echo = await startEcho({
      async *watchCount() {
        yield* items(3)
        throw new PlatformError('refused', 'the run ended', { reason: 'run_ended' })
      },
    })
    const received: unknown[] = []
    const reading = (async () => {
      for await (const item of echo.client.watchCount({ to: 3 })) received.push(item)
    })()
    await expect(reading).rejects.toMatchObject({
      code: 'refused',
      details: { reason: 'run_ended' },
    })
    expect(received).toHaveLength(3)
  })

  test('an unknown error is a bug in our words for the caller, and whole in the log', async () => {
    await using echo = await startEcho({
      sayBack: () => Promise.reject(new Error('password of db is hunter2')),
    })
    const failure = await echo.client.sayBack({ text: '' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'bug', message: 'internal error', details: {} })
    const line = echo.lines.find(({ level }) => level === 'error')
    expect(line?.fields).toMatchObject({
      method: '/sciencediscovery.echo.v1.EchoService/SayBack',
      err: { cause: { message: 'password of db is hunter2' } },
    })
  })
})

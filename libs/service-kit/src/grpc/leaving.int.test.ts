import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../wait-for.js'
import { connectChannel } from './channel.js'
import { collect, EchoService, startEcho, token } from './echo-fixture.js'
import { rpcClient } from './rpc-client.js'

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('told to stop', { cause: signal.reason }))
    })
  })

describe('grpc calls › someone leaves', () => {
  test('a caller that aborts is told at once, and the handler hears that it left', async () => {
    const reasons: unknown[] = []
    await using echo = await startEcho({
      sayBack: (_request, { signal }) => never(signal).finally(() => reasons.push(signal.reason)),
    })
    const leave = new AbortController()
    const call = echo.client.sayBack({ text: '' }, { signal: leave.signal })
    setImmediate(() => {
      leave.abort()
    })
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    // The connection may not have been up when the caller left: ask again once it surely is.
    await echo.client.upload((async function* () {})())
    const second = new AbortController()
    const again = echo.client.sayBack({ text: '' }, { signal: second.signal })
    setTimeout(() => {
      second.abort(new PlatformError('refused', 'superseded'))
    }, 50)
    await expect(again).rejects.toMatchObject({ code: 'refused', message: 'superseded' })
    await waitFor(() =>
      reasons.some((reason) => reason instanceof PlatformError && reason.code === 'cancelled'),
    )
  })

  test('a signal that aborted before makes no call', async () => {
    let calls = 0
    await using echo = await startEcho({
      sayBack: (request) => {
        calls += 1
        return Promise.resolve(request)
      },
    })
    const options = { signal: AbortSignal.abort() }
    await expect(echo.client.sayBack({ text: '' }, options)).rejects.toMatchObject({
      code: 'cancelled',
    })
    await expect(collect(echo.client.watchCount({ to: 1 }, options))).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(calls).toBe(0)
  })

  test('leaving the loop of a stream ends its handler', async () => {
    let left = false
    await using echo = await startEcho({
      async *watchCount(_request, { signal }) {
        try {
          yield { text: 'first' }
          await never(signal)
        } finally {
          left = true
        }
      },
    })
    for await (const { text } of echo.client.watchCount({ to: 2 })) {
      expect(text).toBe('first')
      break
    }
    await waitFor(() => left)
  })

  test('aborting ends a stream that waits for its next item', async () => {
    const leave = new AbortController()
    await using echo = await startEcho({
      async *watchCount(_request, { signal }) {
        yield { text: 'first' }
        await never(signal)
      },
    })
    const stream = echo.client.watchCount({ to: 2 }, { signal: leave.signal })
    const received: string[] = []
    const reading = (async () => {
      for await (const { text } of stream) {
        received.push(text)
        leave.abort()
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' })
    expect(received).toEqual(['first'])
  })

  test('the deadline ends the call for both sides', async () => {
    const reasons: unknown[] = []
    await using echo = await startEcho({
      sayBack: (_request, { signal }) => never(signal).finally(() => reasons.push(signal.reason)),
      async *watchCount(_request, { signal }) {
        yield { text: 'first' }
        await never(signal)
      },
    })
    const call = echo.client.sayBack({ text: '' }, { timeoutMs: 100 })
    await expect(call).rejects.toMatchObject({ code: 'deadline' })
    const [reason] = await waitFor(() => reasons.length > 0 && reasons)
    expect(reason).toMatchObject({ code: 'deadline' })
    const stream = collect(echo.client.watchCount({ to: 2 }, { timeoutMs: 100 }))
    await expect(stream).rejects.toMatchObject({ code: 'deadline' })
  })

  test('a server that stops lets calls finish and ends streams as unavailable', async () => {
    let release = (): void => undefined
    let started = 0
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const echo = await startEcho({
      async sayBack(request) {
        started += 1
        await gate
        return request
      },
      async *watchCount(_request, { signal }) {
        started += 1
        yield { text: 'first' }
        await never(signal)
      },
    })
    const call = echo.client.sayBack({ text: 'kept' })
    const stream = collect(echo.client.watchCount({ to: 2 }))
    const ended = expect(stream).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the server is stopping',
    })
    await waitFor(() => started === 2)
    const stopped = echo.server[Symbol.asyncDispose]()
    await ended
    release()
    expect(await call).toEqual({ text: 'kept' })
    await stopped
    echo.channel.close()
  })

  test('a handler that never ends is cut after the drain time', async () => {
    let started = false
    const echo = await startEcho(
      {
        sayBack: () => {
          started = true
          return new Promise(() => undefined)
        },
      },
      { drainTimeoutMs: 100 },
    )
    const call = echo.client.sayBack({ text: '' }, { idempotent: false })
    const ended = expect(call).rejects.toMatchObject({ code: 'unavailable' })
    await waitFor(() => started)
    const before = performance.now()
    await echo.server[Symbol.asyncDispose]()
    expect(performance.now() - before).toBeLessThan(2_000)
    await ended
    echo.channel.close()
  })

  test('nobody at the address is unavailable after the connect time, and names it', async () => {
    using channel = connectChannel('127.0.0.1:1', { token, connectTimeoutMs: 150 })
    const call = rpcClient(EchoService, channel).sayBack({ text: '' })
    await expect(call).rejects.toMatchObject({
      code: 'unavailable',
      message: '127.0.0.1:1 cannot be reached',
    })
  })

  test('a client finds its server again after a restart', async () => {
    const first = await startEcho()
    const { address, client, channel } = first
    await client.sayBack({ text: 'one' })
    await first.server[Symbol.asyncDispose]()
    await using second = await startEcho({}, { port: Number(address.split(':')[1]) })
    expect(second.address).toBe(address)
    expect(await client.sayBack({ text: 'two', idempotencyKey: 'k' })).toMatchObject({
      text: 'two',
    })
    channel.close()
  })

  test('a closed channel refuses calls', async () => {
    await using echo = await startEcho()
    const { channel, client } = echo.connect()
    channel.close()
    await expect(client.sayBack({ text: '' })).rejects.toMatchObject({ code: 'cancelled' })
  })

  test('unavailable is tried again only where asking twice does it once', async () => {
    let calls = 0
    await using echo = await startEcho({
      sayBack: (request) => {
        calls += 1
        if (calls % 3 !== 0)
          throw new PlatformError('unavailable', 'view lags', { retryAfterMs: 1 })
        return Promise.resolve(request)
      },
    })
    expect(await echo.client.sayBack({ text: 'a', idempotencyKey: 'k1' })).toMatchObject({
      text: 'a',
    })
    expect(calls).toBe(3)
    await expect(echo.client.sayBack({ text: 'b' })).rejects.toMatchObject({ code: 'unavailable' })
    expect(calls).toBe(4)
    await echo.client.sayBack({ text: 'c' }, { idempotent: true })
    expect(calls).toBe(6)
  })
})

import { isPlatformError, PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { delay } from '../delay.js'
import { waitFor } from '../wait-for.js'
import type { Call } from './call.js'
import { connectChannel } from './channel.js'
import {
  authenticate,
  collect,
  echoAccess,
  createLineKeeper,
  EchoService,
  startEcho,
  token,
  type Echo,
} from './echo-fixture.js'
import { proxyService } from './proxy-service.js'
import { rpcClient } from './rpc-client.js'
import { createGrpcServer } from './server.js'
import { serviceTokenAuth } from './static-token-auth.js'

const serviceToken = 'token-among-services'

/** A service, and a second server that offers it as its own. */
async function startProxied(implementation: Partial<Echo> = {}) {
  // The caller's token is good for the front alone, the proxy's own for the service behind.
  const origin = await startEcho(implementation, { authenticate: serviceTokenAuth(serviceToken) })
  const inner = connectChannel(origin.address, { token: serviceToken })
  const { logger } = createLineKeeper()
  const at = { host: '127.0.0.1', port: 0 }
  const front = createGrpcServer({ ...at, authenticate, access: echoAccess, logger })
  front.addRaw(proxyService(EchoService, () => inner))
  const { address } = await front.start()
  const outer = connectChannel(address, { token })
  return {
    origin,
    client: rpcClient(EchoService, outer),
    async [Symbol.asyncDispose]() {
      outer.close()
      await front[Symbol.asyncDispose]()
      inner.close()
      await origin[Symbol.asyncDispose]()
    },
  }
}

describe('grpc proxy', () => {
  test('answers, streams and uploads come through, with the caller as the principal', async () => {
    const seen: Call[] = []
    await using proxied = await startProxied({
      sayBack: (request, call) => {
        seen.push(call)
        return Promise.resolve(request)
      },
    })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    expect(await proxied.client.sayBack({ text: 'hello' }, { traceparent })).toEqual({
      text: 'hello',
    })
    expect(seen[0]).toMatchObject({ principal: { id: 'ada' }, traceparent })
    expect((seen[0]?.deadlineAt ?? 0) - Date.now()).toBeGreaterThan(10_000)
    expect(await collect(proxied.client.watchCount({ to: 500 }))).toHaveLength(500)
    const upload = proxied.client.upload(
      (async function* () {
        for (let n = 0; n < 300; n += 1) {
          await Promise.resolve()
          yield { text: 'u'.repeat(10_000) }
        }
      })(),
    )
    expect(await upload).toEqual({ items: 300, sizeBytes: 3_000_000 })
  })

  test('errors come through with code, message and details', async () => {
    const details = { field: 'name', remedy: 'choose another', reason: 'taken', retryAfterMs: 7 }
    await using proxied = await startProxied({
      sayBack: () => Promise.reject(new PlatformError('already_exists', 'name: taken', details)),
      async *watchCount() {
        yield { text: 'one' }
        await Promise.resolve()
        throw new PlatformError('conflict', 'moved on')
      },
    })
    await expect(proxied.client.sayBack({ text: '' })).rejects.toMatchObject({
      code: 'already_exists',
      message: 'name: taken',
      details,
    })
    await expect(collect(proxied.client.watchCount({ to: 1 }))).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test('cancelling and deadlines reach the service behind', async () => {
    const reasons: unknown[] = []
    let asked = 0
    let left = false
    await using proxied = await startProxied({
      sayBack: ({ text }, { signal }) =>
        (asked += 1) === 1
          ? Promise.resolve({ text })
          : new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                reasons.push(signal.reason)
                reject(new Error('stopped'))
              })
            }),
      async *watchCount() {
        try {
          for (;;) {
            await Promise.resolve()
            yield { text: 'x'.repeat(10_000) }
          }
        } finally {
          left = true
        }
      },
    })
    await proxied.client.sayBack({ text: 'warm up' })
    await expect(proxied.client.sayBack({ text: '' }, { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'deadline',
    })
    await waitFor(() => reasons.length === 1)
    const leave = new AbortController()
    const refused = expect(
      proxied.client.sayBack({ text: '' }, { signal: leave.signal }),
    ).rejects.toMatchObject({ code: 'cancelled' })
    await waitFor(() => asked === 3)
    leave.abort()
    await refused
    await waitFor(() => reasons.length === 2)
    expect(reasons[1]).toMatchObject({ code: 'cancelled' })
    for await (const { text } of proxied.client.watchCount({ to: 1 })) {
      expect(text).toHaveLength(10_000)
      break
    }
    await waitFor(() => left)
  })

  test('an upload that breaks off is not taken for whole behind the proxy either', async () => {
    const whole: number[] = []
    let started = 0
    let cut = 0
    await using proxied = await startProxied({
      async upload(requests) {
        started += 1
        try {
          const { length } = await collect(requests)
          whole.push(length)
          return { items: length, sizeBytes: 0 }
        } catch (error) {
          cut += 1
          throw error
        }
      },
    })
    for (let n = 1; n <= 10; n += 1) {
      // Breaks off only once the service behind has heard of it.
      async function* broken() {
        while (started < n) {
          await delay(1)
          yield { text: 'x'.repeat(2_000) }
        }
        throw new PlatformError('not_found', 'file gone')
      }
      await expect(proxied.client.upload(broken())).rejects.toMatchObject({ code: 'not_found' })
    }
    await waitFor(() => cut === 10)
    const complete = proxied.client.upload(
      (async function* () {
        await Promise.resolve()
        yield { text: 'x' }
      })(),
    )
    expect(await complete).toMatchObject({ items: 1 })
    expect(whole).toEqual([1])
  })

  test('a service behind that is gone is unavailable', async () => {
    await using proxied = await startProxied()
    await proxied.client.sayBack({ text: 'warm' })
    await proxied.origin.server[Symbol.asyncDispose]()
    const call = proxied.client.sayBack({ text: '' }, { timeoutMs: 2_000 })
    const failure = await call.catch((error: unknown) => error)
    expect(isPlatformError(failure) && failure.code).toMatch(/^(unavailable|deadline)$/)
  })
})

import { service as HealthDefinition } from 'grpc-health-check'
import { describe, expect, test } from 'vitest'
import { startEcho, type EchoSetup } from './echo-fixture.js'

const path = '/grpc.health.v1.Health'

async function check(echo: EchoSetup, service: string): Promise<unknown> {
  const definition = HealthDefinition['Check']!
  const { channel } = echo.connect({})
  const answer = await channel.unary(`${path}/Check`, definition.requestSerialize({ service }))
  return definition.responseDeserialize(answer)
}

describe('grpc health', () => {
  test('is open to callers without a token, and says who serves', async () => {
    await using echo = await startEcho()
    for (const name of ['', 'liveness', 'readiness']) {
      expect(await check(echo, name)).toEqual({ status: 'SERVING' })
    }
    await expect(check(echo, 'nobody')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('readiness follows the service, liveness does not', async () => {
    await using echo = await startEcho()
    echo.server.health.set('readiness', false)
    expect(await check(echo, 'readiness')).toEqual({ status: 'NOT_SERVING' })
    expect(await check(echo, 'liveness')).toEqual({ status: 'SERVING' })
    expect(echo.server.health.isServing('readiness')).toBe(false)
  })

  test('watchers hear of each change, and a watch does not hold up the stop', async () => {
    const echo = await startEcho()
    const definition = HealthDefinition['Watch']!
    const request = definition.requestSerialize({ service: 'readiness' })
    const stream: AsyncIterable<Buffer> = echo.channel.serverStream(`${path}/Watch`, request)
    const states = stream[Symbol.asyncIterator]()
    const next = async () => {
      const state: IteratorResult<Buffer, unknown> = await states.next()
      return state.done === true ? 'ended' : definition.responseDeserialize(state.value)
    }
    expect(await next()).toEqual({ status: 'SERVING' })
    echo.server.health.set('readiness', false)
    expect(await next()).toEqual({ status: 'NOT_SERVING' })
    echo.server.health.set('readiness', true)
    expect(await next()).toEqual({ status: 'SERVING' })
    const before = performance.now()
    const stopped = echo.server[Symbol.asyncDispose]()
    await expect(async () => {
      while ((await next()) !== 'ended');
    }).rejects.toMatchObject({ code: 'unavailable' })
    await stopped
    expect(performance.now() - before).toBeLessThan(2_000)
    echo.channel.close()
  })
})

import { describe, expect, test } from 'vitest'
import type { Principal } from '../grpc/call.js'
import { collect, startEcho } from '../grpc/echo-fixture.js'
import { staticTokenAuth } from '../grpc/static-token-auth.js'

const path = '/sciencediscovery.echo.v1.EchoService/SayBack'
const authenticate = staticTokenAuth([
  { token: 'of-a-service', principal: { id: 'local', roles: ['service'] } },
  { token: 'of-the-owner', principal: { id: 'operator', roles: ['owner'] } },
  { token: 'of-a-person', principal: { id: 'ada', roles: [] } },
])
const bob: Principal = { id: 'bob', roles: [] }

async function callAs(token: string, principal: Principal | undefined): Promise<Principal> {
  const seen: Principal[] = []
  await using echo = await startEcho(
    {
      sayBack: (request, call) => {
        seen.push(call.principal)
        return Promise.resolve(request)
      },
    },
    { authenticate },
  )
  const { channel } = echo.connect({ token })
  await channel.unary(path, Buffer.from('{"text":""}'), { principal })
  return seen[0] ?? { id: 'nobody', roles: [] }
}

describe('calling in the name of others (S4)', () => {
  test('a service is believed, and the call is the person’s, not the service’s', async () => {
    expect(await callAs('of-a-service', bob)).toEqual(bob)
    expect(await callAs('of-a-service', undefined)).toEqual({ id: 'local', roles: ['service'] })
  })

  test('nobody becomes a service by being named one', async () => {
    const named = { id: 'bob', roles: ['service', 'owner'] }
    expect(await callAs('of-a-service', named)).toEqual({ id: 'bob', roles: ['owner'] })
  })

  test.each(['of-a-person', 'of-the-owner'])('the holder of the token %s is not', async (token) => {
    await expect(callAs(token, bob)).rejects.toMatchObject({
      code: 'forbidden',
      details: { reason: 'identity_not_yours' },
    })
  })
})

describe('a server with a table of access', () => {
  const rule = (by: 'service' | 'owner' | 'person') => ({
    table: new Map(
      ['SayBack', 'WatchCount', 'Upload'].map(
        (name) => [`/sciencediscovery.echo.v1.EchoService/${name}`, { by }] as const,
      ),
    ),
  })

  test('what is for services is forbidden to people, whatever kind of call, before a body is read (S4)', async () => {
    let handled = 0
    const note = (): void => void (handled += 1)
    await using echo = await startEcho(
      {
        sayBack: (request) => Promise.resolve(request).finally(note),
        async *watchCount() {
          note()
          yield await Promise.resolve({ text: '' })
        },
        upload: () => Promise.resolve({ items: 0, sizeBytes: 0 }).finally(note),
      },
      { authenticate, access: rule('service') },
    )
    const refused = { code: 'forbidden', details: { reason: 'service_only' } }
    for (const token of ['of-a-person', 'of-the-owner']) {
      const { client } = echo.connect({ token })
      await expect(client.sayBack({ text: '' })).rejects.toMatchObject(refused)
      await expect(collect(client.watchCount({ to: 1 }))).rejects.toMatchObject(refused)
      const upload = client.upload((async function* () {})())
      await expect(upload).rejects.toMatchObject(refused)
    }
    expect(handled).toBe(0)
    expect(await echo.connect({ token: 'of-a-service' }).client.sayBack({ text: 'in' })).toEqual({
      text: 'in',
    })
  })

  test('what is for the owner is forbidden to others', async () => {
    await using echo = await startEcho({}, { authenticate, access: rule('owner') })
    const person = echo.connect({ token: 'of-a-person' }).client
    await expect(person.sayBack({ text: '' })).rejects.toMatchObject({
      code: 'forbidden',
      details: { reason: 'owner_only' },
    })
    expect(await echo.connect({ token: 'of-the-owner' }).client.sayBack({ text: 'in' })).toEqual({
      text: 'in',
    })
  })

  test('a call that has no row is not served: the server does not start', async () => {
    await expect(startEcho({}, { authenticate, access: { table: new Map() } })).rejects.toThrow(
      /SayBack has no row in the table of access/,
    )
  })
})

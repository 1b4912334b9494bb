import { describe, expect, test } from 'vitest'
import { waitFor } from '../wait-for.js'
import { connectChannel } from './channel.js'
import { EchoService, startEcho, token } from './echo-fixture.js'
import { rpcClient } from './rpc-client.js'

describe('connectChannel › a list of addresses', () => {
  test('calls go to all of them in turn, and past one that went away', async () => {
    const answers = (text: string) => ({ sayBack: () => Promise.resolve({ text }) })
    await using one = await startEcho(answers('one'))
    const two = await startEcho(answers('two'))
    using channel = connectChannel(`${one.address},${two.address}`, { token })
    const client = rpcClient(EchoService, channel)
    const ask = async (): Promise<string> => (await client.sayBack({ text: '' })).text
    const seen = new Set<string>()
    await waitFor(async () => seen.add(await ask()).size === 2, { what: 'both to answer' })
    await two[Symbol.asyncDispose]()
    for (let call = 0; call < 10; call += 1) expect(await ask()).toBe('one')
  })

  test('one that never was there is passed over', async () => {
    await using echo = await startEcho()
    using channel = connectChannel(`127.0.0.1:1,${echo.address}`, { token })
    const client = rpcClient(EchoService, channel)
    for (let call = 0; call < 5; call += 1)
      expect(await client.sayBack({ text: 'hi' })).toEqual({ text: 'hi' })
  })

  test.each(['a.example:1,b.example:2', '10.0.0.1:1,[::1]:2'])('%s is refused', (address) => {
    expect(() => connectChannel(address)).toThrow('no list of IP addresses')
  })
})

import { test } from 'vitest'
import { authenticate, collect, createLineKeeper, EchoService, startEcho, token } from './echo-fixture.js'
import { connectChannel } from './channel.js'
import { proxyService } from './proxy-service.js'
import { rpcClient } from './rpc-client.js'
import { createGrpcServer } from './server.js'
test('t', async () => {
  const origin = await startEcho()
  const inner = connectChannel(origin.address)
  const { logger } = createLineKeeper()
  const front = createGrpcServer({ host: '127.0.0.1', port: 0, authenticate, logger })
  front.addRaw(proxyService(EchoService, () => inner))
  const { address } = await front.start()
  const outer = connectChannel(address, { token })
  const time = async (n: string, f: () => Promise<unknown>) => { const t = performance.now(); await f(); console.log(n, (performance.now() - t).toFixed(0)) }
  for (const [name, client] of [['direct', origin.client], ['proxied', rpcClient(EchoService, outer)]] as const) {
    await time(name + ' first', () => client.sayBack({ text: 'a' }))
    await time(name + ' unary', () => client.sayBack({ text: 'a' }))
    await time(name + ' stream500', () => collect(client.watchCount({ to: 500 })))
    await time(name + ' stream500', () => collect(client.watchCount({ to: 500 })))
    await time(name + ' upload300', () => client.upload((async function* () { for (let n = 0; n < 300; n++) yield { text: 'u'.repeat(10_000) } })()))
    await time(name + ' upload300', () => client.upload((async function* () { for (let n = 0; n < 300; n++) yield { text: 'u'.repeat(10_000) } })()))
  }
})

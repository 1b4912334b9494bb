import { eventStoreContract, natsBackend, startNats } from '@sciencediscovery/testing'
import { type JetStreamStore, connectJetStream } from './connect-jetstream.js'

eventStoreContract(
  'JetStream, one server',
  async () => {
    const servers = await startNats()
    const clients: JetStreamStore[] = []
    return {
      ackWaitMs: 600,
      connect: async () => {
        const client = await connectJetStream({
          servers: servers.urls,
          prefix: 'contract',
          queueAckWaitMs: 600,
        })
        clients.push(client)
        return client
      },
      [Symbol.asyncDispose]: async () => {
        for (const client of clients) await client[Symbol.asyncDispose]()
        await servers[Symbol.asyncDispose]()
      },
    }
  },
  { skip: natsBackend().skip },
)

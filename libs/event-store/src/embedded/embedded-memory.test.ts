import { eventStoreContract } from '@sciencediscovery/testing'
import { createEmbeddedStore } from './create-embedded-store.js'

eventStoreContract('embedded in memory', async () => {
  const embedded = await createEmbeddedStore()
  return {
    ackWaitMs: 200,
    connect: () => Promise.resolve(embedded.attach()),
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  }
})

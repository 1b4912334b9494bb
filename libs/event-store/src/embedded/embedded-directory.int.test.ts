import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventStoreContract } from '@sciencediscovery/testing'
import { createEmbeddedStore } from './create-embedded-store.js'

eventStoreContract('embedded in a directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'scid-journal-'))
  // A budget of 64 KiB, so that most reads really come from the file.
  const embedded = await createEmbeddedStore({ directory, cacheBytes: 64 * 1024 })
  return {
    ackWaitMs: 200,
    connect: () => Promise.resolve(embedded.attach()),
    [Symbol.asyncDispose]: async () => {
      await embedded[Symbol.asyncDispose]()
      await rm(directory, { recursive: true })
    },
  }
})

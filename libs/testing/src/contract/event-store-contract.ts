import { afterAll, beforeAll, describe } from 'vitest'
import { aggregateContract } from './aggregate-contract.js'
import { appendContract } from './append-contract.js'
import { followContract } from './follow-contract.js'
import { queueContract } from './queue-contract.js'
import { reactorContract } from './reactor-contract.js'
import { readContract } from './read-contract.js'
import { signalsContract } from './signals-contract.js'
import { type StoreWorld } from './store-world.js'

/** When the backend is not there: why, as vitest shows it. */
export interface ContractOptions {
  readonly skip?: string | undefined
}

/** What every implementation of the three ports must keep. */
export function eventStoreContract(
  name: string,
  open: () => Promise<StoreWorld>,
  options: ContractOptions = {},
): void {
  const title = options.skip === undefined ? name : `${name} (skipped: ${options.skip})`
  describe.skipIf(options.skip !== undefined)(`event store contract › ${title}`, () => {
    let world: StoreWorld | undefined
    beforeAll(async () => {
      world = await open()
    })
    afterAll(async () => {
      await world?.[Symbol.asyncDispose]()
    })
    const current = (): StoreWorld => {
      if (!world) throw new Error('the world is not open')
      return world
    }
    appendContract(current)
    readContract(current)
    followContract(current)
    aggregateContract(current)
    reactorContract(current)
    queueContract(current)
    signalsContract(current)
  })
}

import { performance } from 'node:perf_hooks'
import { summary } from './stats.mjs'

/** So many clients at once, each acting so many times, one action after the other. */
export async function closedLoop({ clients, perClient, act }) {
  const latenciesMs = []
  const client = async (index) => {
    for (let turn = 0; turn < perClient; turn += 1) {
      const startedAt = performance.now()
      await act(index, turn)
      latenciesMs.push(performance.now() - startedAt)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return summary(latenciesMs, performance.now() - startedAt)
}

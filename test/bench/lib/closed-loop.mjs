import { performance } from 'node:perf_hooks'
import { summary } from './stats.mjs'

/** Nothing new is begun after this, so that a busy machine makes a measurement rougher and not endless. */
const longestMs = 1_500

/** So many clients at once, each acting so many times at most, one action after the other. */
export async function closedLoop({ clients, perClient, act }) {
  const latenciesMs = []
  const beganAt = performance.now()
  const client = async (index) => {
    for (let turn = 0; turn < perClient; turn += 1) {
      const startedAt = performance.now()
      if (turn > 0 && startedAt - beganAt > longestMs) return
      await act(index, turn)
      latenciesMs.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return summary(latenciesMs, performance.now() - beganAt)
}

import { join } from 'node:path'
import { clearInterval, setInterval } from 'node:timers'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMiB } from '../lib/memory.mjs'
import { scidUp } from '../lib/scid-up.mjs'
import { planCall, scriptOf, stackClient } from '../lib/stack-client.mjs'
import { median } from '../lib/stats.mjs'

export const id = 'START'
export const title = 'start to ready, first event, resident memory'

const crowd = 50
const settleMs = 3_000

/** `scid up` cold (nothing prepared), fresh (a new data directory) and warm (a data directory in use). */
export async function run(bench) {
  const cacheDirectory = join(bench.directory, 'cache')
  const starts = { cold: [], fresh: [], warm: [] }
  const warmDirectory = join(bench.directory, 'warm')
  await (await scidUp({ directory: warmDirectory, cacheDirectory })).stop()
  for (let round = 0; round < bench.rounds; round += 1) {
    const places = {
      cold: {
        directory: join(bench.directory, `cold-${round}`),
        cacheDirectory: join(bench.directory, `c-${round}`),
      },
      fresh: { directory: join(bench.directory, `fresh-${round}`), cacheDirectory },
      warm: { directory: warmDirectory, cacheDirectory },
    }
    for (const [name, place] of Object.entries(places)) {
      const stack = await scidUp(place)
      starts[name].push(stack.readyMs)
      await stack.stop()
    }
    bench.log(`round ${round + 1}/${bench.rounds}`)
  }
  reportStarts(bench, starts)
  await withRunning(bench, { directory: warmDirectory, cacheDirectory })
}

function reportStarts(bench, starts) {
  const labels = {
    warm: 'ready, data directory in use',
    fresh: 'ready, new data directory',
    cold: 'ready, new data directory and no prepared database',
  }
  for (const [name, what] of Object.entries(labels)) {
    const ours = median(starts[name])
    const goal =
      name === 'warm' ? { goal: '≤ 3,000 ms', holds: ours <= 3_000 } : { goal: 'printed beside' }
    bench.record({ what: `scid up: ${what}`, unit: 'ms', ours, ...goal, rounds: starts[name] })
  }
}

async function withRunning(bench, place) {
  const stack = await scidUp(place)
  const client = stackClient(stack.endpoint)
  try {
    await pause(settleMs)
    const idle = residentMiB(stack.pid)
    bench.record({
      what: 'resident, idle, warm',
      unit: 'MiB',
      ours: idle,
      goal: '≤ 450 MiB',
      holds: idle <= 450,
    })
    await firstEvent(bench, client)
    await fiftyRuns(bench, client, stack.pid)
  } finally {
    client.close()
    await stack.stop()
  }
}

async function firstEvent(bench, client) {
  const times = []
  for (let round = 0; round < bench.rounds * 5; round += 1) {
    const { startedAt, events } = await client.play(scriptOf(1, planCall))
    times.push(events[0].at - startedAt)
  }
  bench.record({
    what: 'StartRun to the first event at a watcher',
    unit: 'ms',
    ours: median(times.slice(1)),
    goal: 'printed beside',
    rounds: times,
  })
}

/** Fifty runs at once, each with a model that answers after 100 ms, in sessions of their own. */
async function fiftyRuns(bench, client, pid) {
  const samples = []
  const sampler = setInterval(() => samples.push(residentMiB(pid)), 250)
  const script = scriptOf(bench.quick ? 5 : 40, planCall, { latencyMs: 100 })
  await Promise.all(Array.from({ length: crowd }, () => client.play(script)))
  clearInterval(sampler)
  bench.record({
    what: `resident with ${crowd} concurrent runs: largest of ${samples.length} looks`,
    unit: 'MiB',
    ours: Math.max(...samples),
    goal: 'printed beside',
  })
}

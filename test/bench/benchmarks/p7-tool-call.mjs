import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { median, medianOf } from '../lib/stats.mjs'

export const id = 'P7'
export const title = 'run_shell true end to end through the local stack'

/** From the request on the stream to the result on the stream, as a watcher gets both. */
export async function run(bench) {
  const stack = await bench.contestant(contestantScript('stack'), { name: 'p7-stack' })
  const floors = await bench.contestant(contestantScript('floors'), { name: 'p7-floors' })
  const directory = join(bench.directory, 'p7-floors')
  await mkdir(directory)
  await stack.ask('prepare', { directory: join(bench.directory, 'p7') })
  await floors.ask('prepare', { directory })
  const times = bench.quick ? 10 : 60
  const rounds = await interleaved(
    [
      { name: 'stack', measure: () => stack.ask('toolCalls', { calls: times + 1 }) },
      { name: 'floors', measure: () => floors.ask('measure', { times }) },
    ],
    bench,
  )
  const stages = await stack.ask('stages')
  report(bench, rounds, stages)
}

function report(bench, rounds, stages) {
  const floor = (field) => medianOf(rounds, 'floors', field).toFixed(2)
  const sum = `2 appends ${floor('appendMs')} + echo ${floor('echoMs')} + bwrap ${floor('sandboxMs')}`
  const told = Object.entries(stages).map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
  const ratios = (field) => rounds.map(({ stack, floors }) => stack[field] / floors.sumMs)
  const spread = (values) => ({
    median: median(values),
    low: Math.min(...values),
    high: Math.max(...values),
  })
  for (const [field, limit] of Object.entries({ p50Ms: 1.5, p99Ms: 4 })) {
    const ratio = spread(ratios(field))
    const name = field.slice(0, 3)
    bench.record({
      what: `${name}; ${field === 'p50Ms' ? `stages: ${told.join(', ')} ms` : sum}`,
      unit: 'ms',
      ours: medianOf(rounds, 'stack', field),
      floor: medianOf(rounds, 'floors', 'sumMs'),
      ratio,
      against: 'sum of floors',
      goal: `${name} ≤ ${limit}× sum of floors`,
      holds: ratio.median <= limit,
      rounds,
      stages,
    })
  }
  bench.record({
    what: 'first call of a session: its workspace is placed and claimed first',
    unit: 'ms',
    ours: medianOf(rounds, 'stack', 'firstMs'),
    goal: 'printed beside',
  })
}

import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { median, medianOf } from '../lib/stats.mjs'

export const id = 'P9'
export const title = 'long run: does a step get slower, and what does it store'

const events = 10_000
const turns = 2_000

const spread = (values) => ({
  median: median(values),
  low: Math.min(...values),
  high: Math.max(...values),
})

/** One run of 10,000 events with 8 KiB results on JetStream; one of 2,000 turns through the whole stack. */
export async function run(bench) {
  const { urls } = await bench.nats()
  const long = await bench.contestant(contestantScript('long'), { name: 'p9-long' })
  await long.ask('prepare', { servers: urls, prefix: 'p9' })
  const sample = bench.quick ? 20 : 100
  const count = bench.quick ? events / 10 : events
  const measure = (isWarmUp) => long.ask('measure', { events: isWarmUp ? 1_000 : count, sample })
  report(bench, await interleaved([{ name: 'long', measure }], bench))
  await throughTheStack(bench, sample)
}

function report(bench, rounds) {
  const ratio = spread(rounds.map(({ long }) => long.lateMs / long.earlyMs))
  bench.record({
    what: 'step p50 at 10,000 events beside the first steps, 8 KiB results',
    unit: 'ms',
    ours: medianOf(rounds, 'long', 'lateMs'),
    floor: medianOf(rounds, 'long', 'earlyMs'),
    ratio,
    against: 'first 100 steps',
    goal: '≤ 1.3×',
    holds: ratio.median <= 1.3,
    rounds,
  })
  const size = spread(rounds.map(({ long }) => long.bytesPerEvent / long.allowedBytesPerEvent))
  bench.record({
    what: 'stored bytes per event, 8 KiB results in every fourth event',
    unit: 'B',
    ours: medianOf(rounds, 'long', 'bytesPerEvent'),
    ratio: size,
    against: `the allowance of ${Math.round(medianOf(rounds, 'long', 'allowedBytesPerEvent'))} B`,
    goal: '≤ 1.3× payload + 400 B',
    holds: size.median <= 1,
  })
}

async function throughTheStack(bench, sample) {
  const stack = await bench.contestant(contestantScript('stack'), { name: 'p9-stack' })
  await stack.ask('prepare', { directory: join(bench.directory, 'p9') })
  const count = bench.quick ? 200 : turns
  const measure = (isWarmUp) => stack.ask('turns', { turns: isWarmUp ? 150 : count, sample })
  const rounds = await interleaved([{ name: 'stack', measure }], bench)
  const ratio = spread(rounds.map(({ stack: found }) => found.lastMs / found.firstMs))
  bench.record({
    what: `last 100 of 2,000 turns through the local stack (${Math.round(medianOf(rounds, 'stack', 'totalMs'))} ms in all)`,
    unit: 'ms a turn',
    ours: medianOf(rounds, 'stack', 'lastMs'),
    floor: medianOf(rounds, 'stack', 'firstMs'),
    ratio,
    against: 'first 100 turns',
    goal: '≤ 1.5×',
    holds: ratio.median <= 1.5,
    rounds,
  })
}

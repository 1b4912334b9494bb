import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { medianOf, ratioOf } from '../lib/stats.mjs'

export const id = 'P4'
export const title = 'cold resume: one run of 10 events among many'

const crowds = [
  { label: 'few', runs: 5_000 },
  { label: 'many', runs: 50_000 },
]

/** Reads only, so the server that holds the crowd may be filled without a sync per message. */
export async function run(bench) {
  const { urls } = await bench.nats({ syncInterval: '2m' })
  const contestants = []
  for (const { label, runs } of crowds) {
    const prefix = `p4${label}`
    const count = bench.quick ? runs / 10 : runs
    const open = async (name, more) => {
      const contestant = await bench.contestant(contestantScript('resume'), { name: `p4-${name}` })
      const place = await contestant.ask('prepare', { servers: urls, prefix, runs: count, ...more })
      contestants.push({ name, contestant })
      return place
    }
    const { commits, events } = await open(label, {})
    await open(`raw-${label}`, { isRaw: true, commits })
    bench.log(`${count} runs of ${events} events in ${commits} commits`)
  }
  const times = bench.quick ? 100 : 600
  const measured = contestants.map(({ name, contestant }) => ({
    name,
    measure: () => contestant.ask('measure', { times }),
  }))
  report(bench, await interleaved(measured, bench))
}

function report(bench, rounds) {
  for (const { label, runs } of crowds) {
    const p50 = (name) => `${medianOf(rounds, name, 'p50Ms').toFixed(2)}`
    const ratio = ratioOf(rounds, 'p99Ms', label, `raw-${label}`)
    bench.record({
      what: `p99 among ${runs} runs (p50 ${p50(label)}, floor ${p50(`raw-${label}`)} ms)`,
      unit: 'ms',
      ours: medianOf(rounds, label, 'p99Ms'),
      floor: medianOf(rounds, `raw-${label}`, 'p99Ms'),
      ratio,
      against: 'direct batch get',
      goal: 'p99 ≤ 3× floor',
      holds: ratio.median <= 3,
      rounds,
    })
  }
  const growth = ratioOf(rounds, 'p99Ms', 'many', 'few')
  bench.record({
    what: 'p99 among 50,000 beside 5,000 runs',
    unit: 'ms',
    ours: medianOf(rounds, 'many', 'p99Ms'),
    ratio: growth,
    against: 'among 5,000',
    goal: '≤ 1.5×',
    holds: growth.median <= 1.5,
  })
}

import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { medianOf, ratioOf } from '../lib/stats.mjs'

export const id = 'P3'
export const title = 'replay: fold a run of 6,005 events'

const events = 6_005
const activities = 1_000
const prefix = 'p3'
/** What Temporal's replayer does elsewhere, for when it cannot be had here. */
const published = { low: 2_600, high: 3_100 }

/** Reads, parses and folds one long run from nothing, beside a reader that looks at no byte. */
export async function run(bench) {
  const { urls } = await bench.nats()
  const start = async (name, kind, count) => {
    const contestant = await bench.contestant(contestantScript('fold'), { name: `p3-${name}` })
    const directory = join(bench.directory, 'p3')
    const at = { kind, servers: urls, prefix, shards: 4, directory }
    const place = await contestant.ask('prepare', { ...at, ...(count && { events: count }) })
    return { name, contestant, place }
  }
  const fold = await start('fold', 'jetstream', events)
  const embedded = await start('embedded', 'embedded', events)
  const raw = await start('raw', 'raw')
  const contestants = [fold, embedded, raw]
  const temporal = await bench.peer('temporal')
  if (temporal) {
    await temporal.ask('prepare', { activities })
    contestants.push({ name: 'temporal', contestant: temporal, place: undefined })
  }
  const times = bench.quick ? 2 : 10
  const measured = contestants.map(({ name, contestant }) => ({
    name,
    measure: (isWarmUp) => {
      // Thirty folds until the code is compiled; the peer starts a new isolate each time, and is slow.
      const ours = isWarmUp ? 3 * times : times
      const count = name === 'temporal' ? 2 : ours
      return contestant.ask('measure', { times: count, prefix, ...fold.place })
    },
  }))
  report(bench, await interleaved(measured, bench))
}

function report(bench, rounds) {
  const rate = (name) => medianOf(rounds, name, 'eventsPerSecond')
  const memory = (name) => `${Math.round(medianOf(rounds, name, 'rssMiB'))} MiB`
  const hasPeer = Boolean(rounds[0].temporal)
  const peers = hasPeer
    ? `Temporal replayer ${Math.round(rate('temporal'))} (${memory('temporal')})`
    : `Temporal replayer ${published.low}–${published.high} [pub]`
  const row = { unit: 'events/s', ours: rate('fold'), floor: rate('raw'), peers, rounds }
  const ofTemporal = hasPeer
    ? ratioOf(rounds, 'eventsPerSecond', 'fold', 'temporal')
    : {
        median: rate('fold') / published.high,
        low: rate('fold') / published.high,
        high: rate('fold') / published.low,
      }
  bench.record({
    ...row,
    what: `fold from JetStream (${memory('fold')} resident)`,
    ratio: ofTemporal,
    against: 'Temporal',
    goal: '≥ 10× Temporal',
    holds: ofTemporal.median >= 10,
  })
  const ofFloor = ratioOf(rounds, 'eventsPerSecond', 'fold', 'raw')
  bench.record({
    ...row,
    what: 'fold from JetStream',
    ratio: ofFloor,
    against: 'raw direct read',
    goal: '≥ 0.4× floor',
    holds: ofFloor.median >= 0.4,
  })
  bench.record({
    ...row,
    what: 'fold from the embedded journal',
    ours: rate('embedded'),
    ratio: ratioOf(rounds, 'eventsPerSecond', 'embedded', 'raw'),
    against: 'raw direct read',
    goal: 'printed beside',
  })
}

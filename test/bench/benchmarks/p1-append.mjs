import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { medianOf, ratioOf } from '../lib/stats.mjs'

export const id = 'P1'
export const title = 'append, 512 B'

const ways = [
  { name: 'raw', way: 'raw', kind: 'jetstream' },
  { name: 'store', way: 'store', kind: 'jetstream' },
  { name: 'command', way: 'command', kind: 'jetstream' },
  { name: 'embedded', way: 'command', kind: 'embedded' },
]

/** Appends of the port and of the whole command path beside the raw client, one and four streams. */
export async function run(bench) {
  for (const shards of [1, 4]) await withShards(bench, shards)
}

async function withShards(bench, shards) {
  const { urls } = await bench.nats()
  const contestants = []
  for (const { name, way, kind } of ways) {
    const contestant = await bench.contestant(contestantScript('append'), { name: `p1-${name}` })
    const prefix = `p1${name}${shards}`
    const directory = join(bench.directory, `p1-${shards}`)
    await contestant.ask('prepare', { kind, way, servers: urls, prefix, shards, directory })
    contestants.push({ name, contestant })
  }
  const emmett = await bench.peer('emmett')
  if (emmett) {
    await emmett.ask('prepare', { url: (await bench.postgres()).url })
    contestants.push({ name: 'emmett', contestant: emmett })
  }
  for (const writers of [1, 16, 64]) {
    const perWriter = Math.ceil(
      (bench.quick ? 150 : { 1: 600, 16: 2400, 64: 4800 }[writers]) / writers,
    )
    const measured = contestants.map(({ name, contestant }) => ({
      name,
      measure: () => contestant.ask('measure', { writers, perWriter }),
    }))
    const rounds = await interleaved(measured, bench)
    report(bench, { rounds, writers, shards, hasEmmett: Boolean(emmett) })
  }
  for (const { name, contestant } of contestants) if (name !== 'emmett') await contestant.close()
}

function report(bench, { rounds, writers, shards, hasEmmett }) {
  const floor = medianOf(rounds, 'raw', 'perSecond')
  const place = `${writers} writers, ${shards} stream${shards > 1 ? 's' : ''}`
  for (const name of ['command', 'store']) {
    const ratio = ratioOf(rounds, 'perSecond', name, 'raw')
    bench.record({
      what: `${name === 'command' ? 'command path' : 'port alone'}, ${place}`,
      unit: 'commits/s',
      ours: medianOf(rounds, name, 'perSecond'),
      floor,
      peers: hasEmmett ? `Emmett-PG ${Math.round(medianOf(rounds, 'emmett', 'perSecond'))}` : '–',
      ratio,
      against: 'floor',
      goal: '≥ 0.75× floor',
      holds: ratio.median >= 0.75,
      rounds,
    })
  }
  if (writers === 1) latency(bench, { rounds, place })
  if (shards === 4) embedded(bench, { rounds, place })
  if (hasEmmett && writers === 64 && shards === 4) {
    const ratio = ratioOf(rounds, 'perSecond', 'command', 'emmett')
    bench.record({
      what: `command path beside Emmett-PG, ${place}`,
      unit: 'commits/s',
      ours: medianOf(rounds, 'command', 'perSecond'),
      floor,
      peers: `Emmett-PG ${Math.round(medianOf(rounds, 'emmett', 'perSecond'))}`,
      ratio,
      against: 'Emmett-PG',
      goal: '≥ 1.5× Emmett-PG',
      holds: ratio.median >= 1.5,
    })
  }
}

function latency(bench, { rounds, place }) {
  const ratio = ratioOf(rounds, 'p50Ms', 'command', 'raw')
  bench.record({
    what: `command path p50, ${place}`,
    unit: 'ms',
    ours: medianOf(rounds, 'command', 'p50Ms'),
    floor: medianOf(rounds, 'raw', 'p50Ms'),
    peers: '–',
    ratio,
    against: 'floor',
    goal: '≤ 1.3× floor',
    holds: ratio.median <= 1.3,
  })
}

function embedded(bench, { rounds, place }) {
  bench.record({
    what: `embedded command path, ${place}`,
    unit: 'commits/s',
    ours: medianOf(rounds, 'embedded', 'perSecond'),
    floor: medianOf(rounds, 'raw', 'perSecond'),
    peers: '–',
    ratio: ratioOf(rounds, 'perSecond', 'embedded', 'raw'),
    against: 'raw JetStream',
    goal: 'printed beside',
  })
}

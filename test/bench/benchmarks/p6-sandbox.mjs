import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { medianOf, ratioOf } from '../lib/stats.mjs'

export const id = 'P6'
export const title = 'sandbox start: true'

const most = 8

/** The wall alone and the whole runner beside a raw bubblewrap that Node spawns. */
export async function run(bench) {
  const contestants = []
  for (const kind of ['raw', 'raw-shell', 'cell', 'runner']) {
    const contestant = await bench.contestant(contestantScript('sandbox'), { name: `p6-${kind}` })
    const directory = join(bench.directory, `p6-${kind}`)
    await contestant.ask('prepare', { kind, directory, clients: most })
    contestants.push({ name: kind, contestant })
  }
  const peer = await bench.peer('sandbox-runtime')
  if (peer) {
    await peer.ask('prepare')
    contestants.push({ name: 'peer', contestant: peer })
  }
  for (const clients of [1, most]) {
    const perClient = bench.quick ? 10 : { 1: 60, [most]: 15 }[clients]
    const measured = contestants.map(({ name, contestant }) => ({
      name,
      measure: () => contestant.ask('measure', { clients, perClient }),
    }))
    const rounds = await interleaved(measured, bench)
    if (clients === 1) latency(bench, rounds)
    else throughput(bench, rounds)
  }
}

const labels = { cell: 'wall alone', runner: 'StartExecution over gRPC' }
/** Bubblewrap with the same program inside. */
const floors = { cell: 'raw', runner: 'raw-shell' }

function latency(bench, rounds) {
  const p50 = (name) => medianOf(rounds, name, 'p50Ms')
  const peers = rounds[0].peer ? `sandbox-runtime ${p50('peer').toFixed(1)}` : '–'
  for (const name of ['cell', 'runner']) {
    const row = { unit: 'ms', ours: p50(name), floor: p50(floors[name]), peers, rounds }
    const what = `${labels[name]}, p50 (p99 ${medianOf(rounds, name, 'p99Ms').toFixed(1)}), c=1`
    const ratio = ratioOf(rounds, 'p50Ms', name, floors[name])
    const goal = 'p50 ≤ 1.5× raw bwrap'
    bench.record({ ...row, what, ratio, against: 'raw bwrap', goal, holds: ratio.median <= 1.5 })
    if (!rounds[0].peer) continue
    const beside = ratioOf(rounds, 'p50Ms', name, 'peer')
    const against = 'sandbox-runtime'
    bench.record({
      ...row,
      what,
      ratio: beside,
      against,
      goal: '≤ 0.4×',
      holds: beside.median <= 0.4,
    })
  }
}

function throughput(bench, rounds) {
  for (const name of ['cell', 'runner']) {
    const ratio = ratioOf(rounds, 'perSecond', name, floors[name])
    bench.record({
      what: `${labels[name]}, c=8`,
      unit: 'starts/s',
      ours: medianOf(rounds, name, 'perSecond'),
      floor: medianOf(rounds, floors[name], 'perSecond'),
      peers: rounds[0].peer
        ? `sandbox-runtime ${medianOf(rounds, 'peer', 'perSecond').toFixed(1)}`
        : '–',
      ratio,
      against: 'raw bwrap',
      goal: '≥ 0.7× raw bwrap',
      holds: ratio.median >= 0.7,
      rounds,
    })
  }
}

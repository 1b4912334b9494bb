import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { medianOf, ratioOf } from '../lib/stats.mjs'

export const id = 'EXEC'
export const title = 'executions: much output, reading a file, several replicas'

const sleepSeconds = 0.5
const slots = 4

export async function run(bench) {
  await output(bench)
  await reads(bench)
  await replicas(bench)
}

async function open(bench, name, replicaCount) {
  const contestant = await bench.contestant(contestantScript('runners'), { name })
  const directory = join(bench.directory, name)
  await contestant.ask('prepare', { directory, replicas: replicaCount, slots })
  return contestant
}

async function output(bench) {
  const ours = await open(bench, 'exec-output', 1)
  const bytes = bench.quick ? 20_000_000 : 200_000_000
  const rounds = await interleaved(
    [{ name: 'both', measure: () => ours.ask('output', { bytes }) }],
    bench,
  )
  const beside = rounds.map(({ both }) => ({
    ours: { ms: both.oursMs },
    floor: { ms: both.floorMs },
  }))
  bench.record({
    what: `EXEC1 ${bytes / 1e6} MB of stdout: spooled, shown live, stored in segments, committed`,
    ...{ unit: 'ms', ours: medianOf(beside, 'ours', 'ms'), floor: medianOf(beside, 'floor', 'ms') },
    ...{ ratio: ratioOf(beside, 'ms', 'ours', 'floor'), against: 'the same command to a file' },
    ...{ goal: 'printed beside', rounds },
  })
}

async function reads(bench) {
  const ours = await open(bench, 'exec-reads', 1)
  const times = bench.quick ? 20 : 300
  const rounds = await interleaved(
    [{ name: 'ours', measure: () => ours.ask('reads', { times }) }],
    bench,
  )
  const p50Ms = medianOf(rounds, 'ours', 'p50Ms')
  bench.record({
    what: `EXEC2 read_file over gRPC, p50 (p99 ${medianOf(rounds, 'ours', 'p99Ms').toFixed(1)})`,
    ...{ unit: 'ms', ours: p50Ms, goal: '≤ 4 ms median', holds: p50Ms <= 4, rounds },
  })
}

/** Each replica has so many slots; the clients are as many as all slots of the largest pool. */
async function replicas(bench) {
  const counts = bench.quick ? [1, 2] : [1, 2, 4]
  const contestants = []
  for (const count of counts)
    contestants.push({ count, ours: await open(bench, `exec-pool-${count}`, count) })
  const clients = slots * Math.max(...counts)
  const perClient = bench.quick ? 1 : 4
  const work = { clients, perClient, seconds: sleepSeconds }
  const rounds = await interleaved(
    contestants.map(({ count, ours }) => ({
      name: `${count}`,
      measure: () => ours.ask('sleeps', work),
    })),
    bench,
  )
  for (const count of counts) {
    const ratio = ratioOf(rounds, 'perSecond', `${count}`, '1')
    bench.record({
      what: `EXEC3 sleep ${sleepSeconds}, ${count} replicas with ${slots} slots, ${clients} clients`,
      ...{ unit: '/s', ours: medianOf(rounds, `${count}`, 'perSecond') },
      floor: (count * slots) / sleepSeconds,
      ...(count > 1 && { ratio, against: 'one replica', holds: ratio.median >= 0.8 * count }),
      ...{ goal: count > 1 ? `≥ ${0.8 * count}× one replica` : 'printed beside', rounds },
    })
  }
}

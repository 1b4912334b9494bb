import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { medianOf, ratioOf } from '../lib/stats.mjs'

export const id = 'SNAP'
export const title = 'snapshots: one touched file of many, large files, restore'

const extraMs = 120

/** Each beside what the system itself needs for the same bytes on the same disk. */
export async function run(bench) {
  await touched(bench)
  await large(bench)
}

async function open(bench, name) {
  const contestant = await bench.contestant(contestantScript('snapshots'), { name })
  await contestant.ask('prepare', { directory: join(bench.directory, name) })
  return contestant
}

async function touched(bench) {
  for (const files of bench.quick ? [1_000] : [1_000, 10_000]) {
    const ours = await open(bench, `snap1-${files}`)
    await ours.ask('many', { files })
    const times = bench.quick ? 3 : 20
    const rounds = await interleaved(
      [
        { name: 'ours', measure: () => ours.ask('touchOne', { times }) },
        { name: 'walk', measure: () => ours.ask('walk') },
      ],
      bench,
    )
    const [own, floor] = [medianOf(rounds, 'ours', 'p50Ms'), medianOf(rounds, 'walk', 'ms')]
    bench.record({
      what: `SNAP1 commit after touching 1 of ${files} files, p50`,
      ...{ unit: 'ms', ours: own, floor, against: 'find: a stat of each file', rounds },
      goal: `≤ ${extraMs} ms beyond the stat walk`,
      holds: own - floor <= extraMs,
    })
  }
}

async function large(bench) {
  const ours = await open(bench, 'snap2')
  const bytes = Math.floor((bench.quick ? 64 : 1024) / 3) * 1024 ** 2
  await ours.ask('large', { files: 3, bytes })
  const rounds = await interleaved(
    [
      { name: 'sha256sum', measure: () => ours.ask('hashLarge') },
      { name: 'take', measure: () => ours.ask('takeLarge') },
      { name: 'cp', measure: () => ours.ask('copyLarge') },
      { name: 'restore', measure: () => ours.ask('restoreLarge') },
    ],
    bench,
  )
  const size = bench.quick ? '64 MiB' : '1 GiB'
  for (const [what, name, floor, limit] of [
    [`SNAP2 snapshot of ${size} in 3 files`, 'take', 'sha256sum', 1.5],
    [`SNAP3 restore of ${size} in 3 files`, 'restore', 'cp', undefined],
  ]) {
    const ratio = ratioOf(rounds, 'ms', name, floor)
    bench.record({
      ...{ what, unit: 'ms', ratio, against: floor, rounds },
      ours: medianOf(rounds, name, 'ms'),
      floor: medianOf(rounds, floor, 'ms'),
      goal: limit === undefined ? 'printed beside' : `≤ ${limit}× ${floor}`,
      ...(limit !== undefined && { holds: ratio.median <= limit }),
    })
  }
}

import { join } from 'node:path'
import { contestantScript } from '../lib/places.mjs'
import { interleaved } from '../lib/rounds.mjs'
import { medianOf, ratioOf } from '../lib/stats.mjs'

export const id = 'P2'
export const title = 'durable step: a run of 10 steps with an in-process tool'

const steps = 10
const shims = ['--import', new URL('../lib/with-resolvers.mjs', import.meta.url).href]
const ways = [
  { name: 'keyed', way: 'keyed', kind: 'jetstream' },
  { name: 'own', way: 'own', kind: 'jetstream' },
  { name: 'embedded', way: 'keyed', kind: 'embedded' },
]

/**
 * `keyed`: every step is asked for before it runs, its result and the next request are one commit.
 * `own`: the step is decided in the commit of its model turn, as update_plan is.
 */
export async function run(bench) {
  const contestants = [...(await ours(bench)), ...(await peers(bench))]
  for (const clients of [1, 16, 64]) {
    const perClient = bench.quick ? 2 : { 1: 40, 16: 10, 64: 5 }[clients]
    const measured = contestants.map(({ name, contestant, way }) => ({
      name,
      measure: () => contestant.ask('measure', { way, steps, clients, perClient }),
    }))
    const rounds = await interleaved(measured, bench)
    report(bench, { rounds, clients })
  }
}

async function ours(bench) {
  const { urls } = await bench.nats()
  const contestants = []
  for (const { name, way, kind } of ways) {
    const contestant = await bench.contestant(contestantScript('steps'), { name: `p2-${name}` })
    const directory = join(bench.directory, 'p2')
    await contestant.ask('prepare', {
      kind,
      servers: urls,
      prefix: `p2${name}`,
      shards: 4,
      directory,
    })
    contestants.push({ name, way, contestant })
  }
  return contestants
}

async function peers(bench) {
  const found = []
  const { url } = await bench.postgres()
  for (const name of ['restate', 'dbos', 'langgraph']) {
    const contestant = await bench.peer(name, { execArgv: name === 'restate' ? shims : [] })
    if (!contestant) continue
    await contestant.ask('prepare', { url })
    found.push({ name, contestant })
  }
  return found
}

const labels = { restate: 'Restate', dbos: 'DBOS', langgraph: 'LangGraph' }
const goals = [
  { clients: 1, peer: 'restate', field: 'p50Ms', limit: 1.5, text: 'run p50 ≤ 1.5× Restate' },
  { clients: 1, peer: 'dbos', field: 'p50Ms', limit: 1, text: 'run p50 faster than DBOS' },
  { clients: 16, peer: 'langgraph', field: 'stepsPerSecond', limit: 4, text: '≥ 4× LangGraph' },
  { clients: 64, peer: 'restate', field: 'stepsPerSecond', limit: 1, text: '≥ 1.0× Restate' },
  { clients: 64, peer: 'dbos', field: 'stepsPerSecond', limit: 2, text: '≥ 2× DBOS' },
]

function report(bench, { rounds, clients }) {
  const present = Object.keys(labels).filter((name) => rounds[0][name])
  const told = (field) =>
    present
      .map(
        (name) =>
          `${labels[name]} ${medianOf(rounds, name, field).toFixed(field === 'p50Ms' ? 1 : 0)}`,
      )
      .join(', ')
  for (const way of ['keyed', 'own']) {
    for (const { peer, field, limit, text } of goals.filter((goal) => goal.clients === clients)) {
      if (!rounds[0][peer]) continue
      const ratio = ratioOf(rounds, field, way, peer)
      bench.record({
        what: `${way} step, c=${clients}`,
        unit: field === 'p50Ms' ? 'ms' : 'steps/s',
        ours: medianOf(rounds, way, field),
        peers: told(field),
        ratio,
        against: labels[peer],
        goal: text,
        holds: field === 'p50Ms' ? ratio.median <= limit : ratio.median >= limit,
        rounds,
      })
    }
  }
  bench.record({
    what: `keyed step on the embedded store, c=${clients}`,
    unit: 'steps/s',
    ours: medianOf(rounds, 'embedded', 'stepsPerSecond'),
    peers: told('stepsPerSecond'),
    ratio: present.includes('restate')
      ? ratioOf(rounds, 'stepsPerSecond', 'embedded', 'restate')
      : undefined,
    against: 'Restate',
    goal: 'printed beside',
  })
}

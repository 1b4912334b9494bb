import { performance } from 'node:perf_hooks'
import { connect } from 'nats'
import {
  commandIdOf,
  connectJetStream,
  createAggregates,
  createEmbeddedStore,
} from '@sciencediscovery/event-store'
import { runSubject } from '@sciencediscovery/run-events'
import { runType } from '../../../services/agent-orchestrator/dist/aggregate-types.js'
import { rawRead } from '../lib/raw-read.mjs'
import { askedCall, commands, idsOf } from '../lib/run-story.mjs'
import { serve } from '../lib/serve.mjs'
import { summary } from '../lib/stats.mjs'

const held = {}
const newAggregates = (store) =>
  createAggregates(runType, { store, clock: Date.now, writer: 'bench' })

/** Turns of one call each: four events a turn, as a model that uses one tool at a time makes them. */
async function writeRun(store, ids, events) {
  const runs = newAggregates(store)
  const subject = runSubject(ids.runId)
  const handle = (command, key) =>
    runs.handle(subject, command, {
      commandId: commandIdOf(ids.runId, key, command.type),
      causationId: String(key),
      correlationId: ids.runId,
    })
  let { folded } = await handle(commands.start(ids), 0)
  for (let turn = 1; folded.position < events; turn += 1) {
    await handle(commands.turn(turn, [askedCall(`c${turn}`)]), turn)
    folded = (await handle(commands.complete(`c${turn}`), turn)).folded
  }
  return folded
}

async function timed(act) {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

serve({
  async prepare({ kind, servers, prefix, shards, directory, events }) {
    const ports =
      kind === 'embedded'
        ? await createEmbeddedStore({ directory, runShards: shards })
        : await connectJetStream({ servers, prefix, runShards: shards })
    held.store = ports.store
    held.nc = kind === 'raw' ? await connect({ servers }) : undefined
    held.ids = idsOf('long-run', shards)
    if (events) held.folded = await writeRun(held.store, held.ids, events)
    return held.folded
      ? { position: held.folded.position, version: held.folded.version }
      : undefined
  },
  async measure({ times, prefix, position, version }) {
    const subject = runSubject(held.ids.runId)
    const stream = `${prefix.toUpperCase()}_RUNS_${subject.split('.')[1]}`
    const target = { stream, subject: `${prefix}.${subject}`, messages: version }
    const latencies = []
    for (let time = 0; time < times; time += 1) {
      const act = held.nc
        ? () => rawRead(held.nc, target)
        : () => newAggregates(held.store).load(subject)
      latencies.push(await timed(act))
    }
    const found = summary(
      latencies,
      latencies.reduce((sum, value) => sum + value, 0),
    )
    const eventsPerSecond = (position / found.p50Ms) * 1000
    return { ...found, eventsPerSecond, rssMiB: process.memoryUsage.rss() / 2 ** 20 }
  },
})

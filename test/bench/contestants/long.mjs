import { performance } from 'node:perf_hooks'
import { connect } from 'nats'
import { commandIdOf, connectJetStream, createAggregates } from '@sciencediscovery/event-store'
import { runSubject } from '@sciencediscovery/run-events'
import { runType } from '../../../services/agent-orchestrator/dist/aggregate-types.js'
import { askedCall, commands, idsOf } from '../lib/run-story.mjs'
import { serve } from '../lib/serve.mjs'
import { median } from '../lib/stats.mjs'

const held = { next: 0 }
const shards = 4
const result = 'r'.repeat(8192)

/** Bytes of all run streams. */
async function storedBytes() {
  const infos = Array.from({ length: shards }, async (_, shard) => {
    const name = `${held.prefix.toUpperCase()}_RUNS_${shard}`
    return (await held.nc.request(`$JS.API.STREAM.INFO.${name}`, '', { timeout: 5_000 })).json()
      .state.bytes
  })
  return (await Promise.all(infos)).reduce((sum, bytes) => sum + bytes, 0)
}

serve({
  async prepare({ servers, prefix }) {
    held.prefix = prefix
    held.nc = await connect({ servers })
    const { store } = await connectJetStream({ servers, prefix, runShards: shards })
    held.runs = createAggregates(runType, { store, clock: Date.now, writer: 'bench' })
  },
  /** One run from its start to so many events; a step is a model turn with one call, and its result. */
  async measure({ events, sample }) {
    held.next += 1
    const ids = idsOf(`${process.pid}-${held.next}`, shards)
    const subject = runSubject(ids.runId)
    const handle = (command, key) =>
      held.runs.handle(subject, command, {
        commandId: commandIdOf(ids.runId, key, command.type),
        causationId: String(key),
        correlationId: ids.runId,
      })
    const before = await storedBytes()
    let { folded } = await handle(commands.start(ids), 0)
    const steps = []
    for (let turn = 1; folded.position < events; turn += 1) {
      const startedAt = performance.now()
      await handle(commands.turn(turn, [askedCall(`c${turn}`)]), turn)
      folded = (await handle(commands.complete(`c${turn}`, result), turn)).folded
      steps.push(performance.now() - startedAt)
    }
    const stored = (await storedBytes()) - before
    return {
      earlyMs: median(steps.slice(0, sample)),
      lateMs: median(steps.slice(-sample)),
      bytesPerEvent: stored / folded.position,
      allowedBytesPerEvent: (1.3 * steps.length * result.length) / folded.position + 400,
    }
  },
})

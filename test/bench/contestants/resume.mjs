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
const shards = 4
const runsAtOnce = 500
const subjectAt = (index) => runSubject(idsOf(`crowd-${index}`, shards).runId)

/** The commits of one run of ten events, made by the real rules. */
async function templateRun(ids) {
  await disposing(await createEmbeddedStore(), async ({ store }) => {
    const runs = createAggregates(runType, { store, clock: Date.now, writer: 'bench' })
    const subject = runSubject(ids.runId)
    const handle = (command, key) =>
      runs.handle(subject, command, {
        commandId: commandIdOf(ids.runId, key, command.type),
        causationId: key,
        correlationId: ids.runId,
      })
    const shared = (callId) => ({ ...askedCall(callId), concurrency: 'shared' })
    await handle(commands.start(ids), 'start')
    await handle(commands.turn(1, [shared('c1')]), 'turn-1')
    await handle(commands.complete('c1'), 'c1')
    const { folded } = await handle(commands.turn(2, [shared('c2'), shared('c3')]), 'turn-2')
    held.commits = []
    for await (const { commit } of store.read(subject, { upToSequence: folded.sequence })) {
      held.commits.push(commit)
    }
  })
  return held.commits
}

async function disposing(resource, act) {
  try {
    return await act(resource)
  } finally {
    await resource[Symbol.asyncDispose]()
  }
}

/** Other runs of the same shape, in waves, so that the commits of a run lie apart. */
async function seed(nc, { prefix, runs }) {
  const template = idsOf('template', shards)
  const commits = await templateRun(template)
  const texts = commits.map((commit) => JSON.stringify(commit))
  const hash = template.runId.split('-')[2]
  const js = nc.jetstream()
  for (let first = 0; first < runs; first += runsAtOnce) {
    for (const text of texts) {
      const wave = Array.from({ length: Math.min(runsAtOnce, runs - first) }, (_, offset) => {
        const ids = idsOf(`crowd-${first + offset}`, shards)
        const own = text
          .replaceAll(template.runId, ids.runId)
          .replaceAll(hash, ids.runId.split('-')[2])
          .replaceAll(runSubject(template.runId), runSubject(ids.runId))
        const subject = runSubject(ids.runId)
        return js.publish(
          `${prefix}.${subject}`,
          own.replace(/"subject":"[^"]*"/, `"subject":"${subject}"`),
          {
            timeout: 60_000,
          },
        )
      })
      await Promise.all(wave)
    }
  }
  return {
    commits: commits.length,
    events: commits.reduce((sum, { events }) => sum + events.length, 0),
  }
}

serve({
  async prepare({ servers, prefix, runs, commits, isRaw }) {
    held.prefix = prefix
    held.runs = runs
    held.store = (await connectJetStream({ servers, prefix, runShards: shards })).store
    held.nc = await connect({ servers })
    held.isRaw = isRaw
    const seeded = commits ? { commits } : await seed(held.nc, { prefix, runs })
    held.messages = seeded.commits
    return seeded
  },
  async measure({ times }) {
    const latencies = []
    for (let time = 0; time < times; time += 1) {
      const subject = subjectAt((time * 7919 + 13) % held.runs)
      const stream = `${held.prefix.toUpperCase()}_RUNS_${subject.split('.')[1]}`
      const startedAt = performance.now()
      if (held.isRaw) {
        await rawRead(held.nc, {
          stream,
          subject: `${held.prefix}.${subject}`,
          messages: held.messages,
        })
      } else {
        const runs = createAggregates(runType, {
          store: held.store,
          clock: Date.now,
          writer: 'bench',
        })
        const { version } = await runs.load(subject)
        if (version !== held.messages) throw new Error(`${subject} has ${version} commits`)
      }
      latencies.push(performance.now() - startedAt)
    }
    return summary(
      latencies,
      latencies.reduce((sum, value) => sum + value, 0),
    )
  },
})

import { createEmbeddedStore } from '@sciencediscovery/event-store'
import { startStack } from '@sciencediscovery/local'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { createLogger } from '@sciencediscovery/service-kit'
import { serve } from '../lib/serve.mjs'
import { planCall, scriptOf, shellTrue, stackClient } from '../lib/stack-client.mjs'
import { median, summary } from '../lib/stats.mjs'

const held = { played: [] }

const callIdOf = (event) => JSON.parse(event.dataJson).callId

/** From the commit that asked to the commit with the result, both as the watcher got them. */
function callTimes(events) {
  const asked = new Map()
  const times = []
  for (const event of events) {
    if (event.type === 'tool.call.requested') asked.set(callIdOf(event), event.at)
    if (event.type === 'tool.call.completed') times.push(event.at - asked.get(callIdOf(event)))
  }
  return times
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** When each fact of a call was recorded, in milliseconds; means over many calls are finer than that. */
async function stagesOf(store, { session, events }) {
  const subject = workspaceSubject(session.workspaceId)
  const last = await store.last(subject)
  const facts = new Map()
  const note = (callId, name, time) =>
    facts.set(callId, { ...facts.get(callId), [name]: Date.parse(time) })
  for (const event of events) {
    if (event.type.startsWith('tool.call.')) note(callIdOf(event), event.type, event.time)
  }
  const callOf = new Map()
  for await (const { commit } of store.read(subject, { upToSequence: last.sequence })) {
    for (const { type, data } of commit.events) {
      if (type === 'execution.queued')
        callOf.set(data.executionId, data.asker?.callId ?? data.callId)
      const callId = callOf.get(data.executionId)
      if (callId) note(callId, type, commit.recordedAt)
    }
  }
  const calls = [...facts.values()].slice(1)
  const between = (from, to) => mean(calls.map((call) => call[to] - call[from]))
  return {
    'permission and release': between('tool.call.requested', 'tool.call.released'),
    'to the runner, queued and started': between('tool.call.released', 'execution.started'),
    'sandbox, output, snapshot': between('execution.started', 'execution.completed'),
    'result home': between('execution.completed', 'tool.call.completed'),
  }
}

serve({
  async prepare({ directory }) {
    held.directory = directory
    held.stack = await startStack({
      dataDir: directory,
      logger: createLogger('bench', { level: 'silent' }),
    })
    held.client = stackClient(held.stack)
  },
  async toolCalls({ calls }) {
    const played = await held.client.play(scriptOf(calls, shellTrue))
    held.played.push(played)
    const [first, ...times] = callTimes(played.events)
    return {
      firstMs: first,
      ...summary(
        times,
        times.reduce((sum, value) => sum + value, 0),
      ),
    }
  },
  async turns({ turns, sample }) {
    const { events } = await held.client.play(scriptOf(turns, planCall))
    const ends = events.filter(({ type }) => type === 'model.turn.completed').map(({ at }) => at)
    const lengths = ends.slice(1).map((at, index) => at - ends[index])
    return {
      firstMs: median(lengths.slice(10, 10 + sample)),
      lastMs: median(lengths.slice(-sample)),
      totalMs: ends.at(-1) - ends[0],
    }
  },
  /** Ends the stack and reads from its journal when what happened. */
  async stages() {
    held.client.close()
    await held.stack[Symbol.asyncDispose]()
    const store = await createEmbeddedStore({ directory: held.directory })
    const all = []
    for (const played of held.played.slice(1)) all.push(await stagesOf(store.store, played))
    await store[Symbol.asyncDispose]()
    return Object.fromEntries(
      Object.keys(all[0] ?? {}).map((name) => [name, median(all.map((stages) => stages[name]))]),
    )
  },
})

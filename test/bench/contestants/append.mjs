import { connect, headers } from 'nats'
import {
  commandIdOf,
  commitIdOf,
  connectJetStream,
  createAggregates,
  createEmbeddedStore,
} from '@sciencediscovery/event-store'
import { z } from 'zod'
import { closedLoop } from '../lib/closed-loop.mjs'
import { serve } from '../lib/serve.mjs'

const payload = Buffer.alloc(512, 'x')
const event = { type: 'bench.appended', v: 1, data: { text: 'x'.repeat(462) } }
const EventSchema = z.object({
  type: z.literal('bench.appended'),
  v: z.literal(1),
  data: z.object({ text: z.string() }),
})
const benchType = {
  decider: {
    initialState: () => ({ count: 0 }),
    decide: () => [event],
    evolve: (state) => ({ count: state.count + 1 }),
  },
  parse: (stored) => EventSchema.parse(stored),
  record: (given) => given,
}

const held = {}
const series = { next: 1 }
const subjectOf = (writer, shards) => `runs.${writer % shards}.bench.r-${series.next}-${writer}`

/** The physical limit: one publish per append with the same promises, nothing else. */
async function rawAppender({ servers, prefix, shards }) {
  const nc = await connect({ servers, noAsyncTraces: true })
  const places = new Map()
  return async (writer) => {
    const subject = `${prefix}.${subjectOf(writer, shards)}`
    const place = places.get(subject) ?? { sequence: 0, count: 0 }
    const head = headers()
    head.set('Nats-Msg-Id', `${subject}-${place.count}`)
    head.set('Nats-Expected-Last-Subject-Sequence', String(place.sequence))
    const answer = await nc.request(subject, payload, { headers: head, timeout: 10_000 })
    const { seq, error } = answer.json()
    if (error) throw new Error(error.description)
    places.set(subject, { sequence: seq, count: place.count + 1 })
  }
}

/** The port: a commit made by hand, encoded, appended. */
function storeAppender(store, shards) {
  const places = new Map()
  return async (writer) => {
    const subject = subjectOf(writer, shards)
    const place = places.get(subject) ?? { sequence: 0, version: 0, commitId: null }
    const commandId = commandIdOf(subject, place.version)
    const commit = {
      commitId: commitIdOf(subject, commandId),
      subject,
      version: place.version + 1,
      previousId: place.commitId,
      firstPosition: place.version + 1,
      commandId,
      causationId: 'bench',
      correlationId: 'bench',
      writer: 'bench',
      recordedAt: new Date().toISOString(),
      events: [event],
    }
    const { sequence } = await store.append(commit, place.sequence)
    places.set(subject, { sequence, version: commit.version, commitId: commit.commitId })
  }
}

/** The whole way of a command: fold, decide, check against the schema, append, fold. */
function commandAppender(store, shards) {
  const aggregates = createAggregates(benchType, { store, clock: Date.now, writer: 'bench' })
  const counts = new Map()
  return async (writer) => {
    const subject = subjectOf(writer, shards)
    const count = counts.get(subject) ?? 0
    counts.set(subject, count + 1)
    const meta = { commandId: commandIdOf(subject, count), causationId: 'b', correlationId: 'b' }
    await aggregates.handle(subject, { type: 'Append' }, meta)
  }
}

serve({
  async prepare({ kind, way, servers, prefix, shards, directory }) {
    held.ports =
      kind === 'embedded'
        ? await createEmbeddedStore({ directory, runShards: shards })
        : await connectJetStream({ servers, prefix, runShards: shards })
    if (way === 'raw') held.append = await rawAppender({ servers, prefix, shards })
    else if (way === 'store') held.append = storeAppender(held.ports.store, shards)
    else held.append = commandAppender(held.ports.store, shards)
  },
  async measure({ writers, perWriter }) {
    series.next += 1
    return closedLoop({
      clients: writers,
      perClient: perWriter,
      act: (writer) => held.append(writer),
    })
  },
})

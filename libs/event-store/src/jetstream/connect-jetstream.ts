import { invalid, isPlatformError } from '@sciencediscovery/kernel'
import { type EventPorts } from '../event-ports.js'
import { type StoreDescription } from '../event-store.js'
import { type Timers, systemTimers } from '../timers.js'
import { defaultRunShards } from '../topology.js'
import { checkDurability } from './durability.js'
import { type Note, ensureStreams, keptStream } from './ensure-streams.js'
import { JetStreamApi } from './jetstream-api.js'
import { JetStreamEventStore } from './jetstream-event-store.js'
import { JetStreamWorkQueue } from './jetstream-work-queue.js'
import { type ConnectionSetting, type NatsLink, connectLink } from './nats-connection.js'
import { NatsSignals } from './nats-signals.js'
import { type StreamsFile, loadStreamsFile, prefixedStream, streamConfigs } from './streams-file.js'

export interface JetStreamOptions extends ConnectionSetting {
  /** Sets streams, subjects and signals apart from those of others on the same servers: letters and digits. */
  readonly prefix?: string | undefined
  /** How many streams the runs are spread over; what the servers were started with wins. Default 4. */
  readonly runShards?: number | undefined
  /** Copies of each stream. Default 1; production wants 3. */
  readonly replicas?: number | undefined
  /** `http://host:8222` of each server, to see whether it syncs. */
  readonly monitoringUrls?: readonly string[] | undefined
  /** The streams; default those of this release. */
  readonly streams?: StreamsFile | undefined
  /** After how much silence a job is given to another worker. Default 3 000. */
  readonly queueAckWaitMs?: number | undefined
  /** How long one request to the servers may take. Default 5 000. */
  readonly requestTimeoutMs?: number | undefined
  /** How long to wait for servers that are starting or electing. Default 20 000. */
  readonly readyTimeoutMs?: number | undefined
  readonly timers?: Timers | undefined
}

/** The three ports over NATS. Disposing it ends what they do and closes the connection. */
export interface JetStreamStore extends EventPorts, AsyncDisposable {}

/** Connects, makes sure of the streams, and gives the ports. Refuses servers below 2.10. */
export async function connectJetStream(options: JetStreamOptions): Promise<JetStreamStore> {
  if (options.prefix !== undefined && !/^[a-z][a-z0-9]*$/.test(options.prefix)) {
    throw invalid('prefix', `${options.prefix} is no prefix`, 'use lower-case letters and digits')
  }
  const link = await connectLink(options)
  try {
    return await whenReady(() => portsOver(link, options), options)
  } catch (error) {
    await link.nc.close()
    throw error
  }
}

/** Servers that start, or elect a leader, are not there yet: the caller waits as long as it said. */
async function whenReady<T>(start: () => Promise<T>, options: JetStreamOptions): Promise<T> {
  const { timers = systemTimers, readyTimeoutMs = 20_000 } = options
  const endsAt = timers.now() + readyTimeoutMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!isPlatformError(error) || error.code !== 'unavailable' || timers.now() > endsAt)
        throw error
      await timers.sleep(250)
    }
  }
}

async function portsOver(link: NatsLink, options: JetStreamOptions): Promise<JetStreamStore> {
  const { prefix, replicas = 1, monitoringUrls = [], timers = systemTimers } = options
  const api = new JetStreamApi(link, options.requestTimeoutMs ?? 5_000)
  const file = options.streams ?? loadStreamsFile()
  const { runShards, note } = await settledShards(api, options)
  const found = await ensureStreams(api, streamConfigs(file, { prefix, runShards, replicas }))
  const notes = [...note, ...found, ...(replicas < 3 ? [fewReplicas(replicas)] : [])]
  const describe = async (hasBatches: boolean | undefined): Promise<StoreDescription> => {
    const durability = await checkDurability(monitoringUrls)
    const slow = hasBatches === false ? [noBatches(link.version)] : []
    const all = [...notes, ...slow, ...durability.notes]
    return {
      backend: 'jetstream',
      version: link.version,
      durable: durability.durable,
      replicas,
      notes: all,
    }
  }
  const store = new JetStreamEventStore({ api, prefix, runShards, timers, describe })
  const queue = new JetStreamWorkQueue({
    api,
    prefix,
    streams: file.queues.map((stream) => stream.name),
    ackWaitMs: options.queueAckWaitMs ?? 3_000,
    timers,
  })
  const signals = new NatsSignals({ link, prefix, nouns: nounsOf(file) })
  return {
    store,
    queue,
    signals,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      await queue[Symbol.asyncDispose]()
      await signals[Symbol.asyncDispose]()
      await link.nc.close()
    },
  }
}

interface Shards {
  readonly runShards: number
  readonly note: readonly Note[]
}

/** The number of run streams is written on the first of them: a run must not change its stream. */
async function settledShards(api: JetStreamApi, options: JetStreamOptions): Promise<Shards> {
  const asked = options.runShards ?? defaultRunShards
  const first = await keptStream(api, prefixedStream('RUNS_0', options.prefix))
  const kept = Number(first?.metadata?.['run_shards'] ?? asked)
  if (kept === asked || options.runShards === undefined) return { runShards: kept, note: [] }
  const problem = `runs are spread over ${kept} streams, not ${asked}`
  return {
    runShards: kept,
    note: [{ problem, remedy: 'the number is fixed at the first start: set it back' }],
  }
}

function nounsOf(file: StreamsFile): ReadonlySet<string> {
  const subjects = [...file.streams, ...file.queues].flatMap((stream) => stream.subjects)
  return new Set(subjects.map((subject) => subject.split('.', 1)[0] ?? ''))
}

function fewReplicas(replicas: number): Note {
  const problem = `streams have ${replicas} of 3 copies: the loss of a disk takes them`
  return { problem, remedy: 'run three servers in three zones and set the replicas to 3' }
}

function noBatches(version: string): Note {
  const problem = `nats-server ${version} reads one message per request`
  return { problem, remedy: 'use 2.11 or newer: long runs are read much faster' }
}

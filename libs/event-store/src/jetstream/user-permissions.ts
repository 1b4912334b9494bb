import { type StreamsFile, streamConfigs } from './streams-file.js'
import { type BusUser, type UsersFile } from './users-file.js'

/** What the server lets a user do; subjects, wildcards included. */
export interface Permissions {
  readonly publish: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  readonly subscribe: readonly string[]
}

/** A user of the bus. */
export interface NatsUser extends Permissions {
  readonly name: string
}

export interface PermissionSources {
  readonly streams: StreamsFile
  readonly users: UsersFile
  /** How many streams the runs are spread over. */
  readonly runShards: number
}

/** Where the answers to a user go: nobody else may listen there. */
export function inboxPrefixOf(user: string): string {
  return `_INBOX_${user}`
}

/** A user per service that writes a stream, and the one that makes streams. Nobody may delete or purge. */
export function usersOf(sources: PermissionSources): readonly NatsUser[] {
  const { streams, users } = sources
  const writers = [...streams.streams, ...streams.queues].map(({ writer }) => writer)
  const services = [...new Set([...writers, ...users.users.map(({ name }) => name)])]
  return [adminUser(users.admin), ...services.map((name) => serviceUser(name, sources))]
}

function adminUser(name: string): NatsUser {
  const api = ['INFO', 'STREAM.INFO.*', 'STREAM.CREATE.*'].map((call) => `$JS.API.${call}`)
  return { name, publish: { allow: api, deny: [] }, subscribe: [`${inboxPrefixOf(name)}.>`] }
}

function serviceUser(name: string, sources: PermissionSources): NatsUser {
  const user = userNamed(name, sources.users)
  const of = placesOf(name, user, sources)
  const readable = [...of.own, ...of.read]
  const allow = [
    ...[...of.own, ...of.queues].flatMap(({ subjects }) => subjects),
    ...['$JS.API.INFO', '$JS.API.STREAM.INFO.*'],
    ...readable.flatMap((stream) => readingCalls(stream.name)),
    ...of.reactors.flatMap(({ stream, consumer }) => reactorCalls(stream, consumer)),
    ...of.queues.flatMap((queue) => queueCalls(queue.name)),
    ...user.publishes,
  ]
  const names = new Set(readable.map((stream) => stream.name))
  const deny = allReactors(sources)
    .filter(({ stream }) => names.has(stream))
    .flatMap(({ stream, consumer, owner }) => [
      `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`,
      ...(owner === name ? [] : [`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`]),
    ])
  const subscribe = [
    `${inboxPrefixOf(name)}.>`,
    ...readable.flatMap(({ subjects }) => subjects),
    ...user.subscribes,
  ]
  return { name, publish: { allow, deny }, subscribe }
}

/** A reader's consumer has a name that the server makes up, so that the wildcard holds readers; reactors are denied by name. */
function readingCalls(stream: string): readonly string[] {
  const calls = [
    ...[`STREAM.MSG.GET.${stream}`, `DIRECT.GET.${stream}`, `DIRECT.GET.${stream}.>`],
    ...[`CONSUMER.CREATE.${stream}`, `CONSUMER.INFO.${stream}.*`],
    ...[`CONSUMER.MSG.NEXT.${stream}.*`, `CONSUMER.DELETE.${stream}.*`],
  ]
  return calls.map((call) => `$JS.API.${call}`)
}

function reactorCalls(stream: string, consumer: string): readonly string[] {
  return [
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${consumer}`,
    `$JS.ACK.${stream}.${consumer}.>`,
  ]
}

/** Consumers of a queue are called after its pools, which a deployment names. */
function queueCalls(stream: string): readonly string[] {
  const calls = [
    ...[`STREAM.MSG.GET.${stream}`, `CONSUMER.DURABLE.CREATE.${stream}.*`],
    ...[`CONSUMER.INFO.${stream}.*`, `CONSUMER.MSG.NEXT.${stream}.*`],
  ]
  return [...calls.map((call) => `$JS.API.${call}`), `$JS.ACK.${stream}.>`]
}

interface Place {
  readonly name: string
  readonly subjects: readonly string[]
}

interface Places {
  readonly own: readonly Place[]
  readonly read: readonly Place[]
  readonly queues: readonly Place[]
  readonly reactors: readonly Reactor[]
}

interface Reactor {
  readonly stream: string
  readonly consumer: string
  readonly owner: string
}

function placesOf(name: string, user: BusUser, sources: PermissionSources): Places {
  const { streams } = sources
  const own = streams.streams.filter(({ writer }) => writer === name)
  const read = streams.streams.filter((stream) => user.reads.includes(stream.name))
  const queues = streams.queues.filter(({ writer }) => writer === name)
  return {
    own: expanded({ ...streams, streams: own, queues: [] }, sources),
    read: expanded({ ...streams, streams: read, queues: [] }, sources),
    queues: expanded({ ...streams, streams: [], queues }, sources),
    reactors: allReactors(sources).filter(({ owner }) => owner === name),
  }
}

function expanded(file: StreamsFile, { runShards }: PermissionSources): readonly Place[] {
  return streamConfigs(file, { prefix: undefined, runShards, replicas: 1 })
}

function allReactors({ users, runShards }: PermissionSources): readonly Reactor[] {
  return users.users.flatMap(({ name: owner, reactors }) =>
    reactors.flatMap(({ stream, consumer }) => {
      const count = stream.includes('{shard}') ? runShards : 1
      return Array.from({ length: count }, (_, shard) => ({
        ...{ stream: stream.replace('{shard}', String(shard)), consumer, owner },
      }))
    }),
  )
}

function userNamed(name: string, { users }: UsersFile): BusUser {
  const silent = { name, reads: [], reactors: [], publishes: [], subscribes: [] }
  return users.find((user) => user.name === name) ?? silent
}

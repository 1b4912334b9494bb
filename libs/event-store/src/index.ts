export { type Commit, type RecordedEvent, type StoredCommit, maxCommitBytes } from './commit.js'
export {
  type EventStore,
  type ReactorGroup,
  type Delivery,
  type DeliveryHandler,
} from './event-store.js'
export { type SubjectRange, type StoreDescription } from './event-store.js'
export { type WorkQueue, type Lease } from './work-queue.js'
export { type Signals } from './signals.js'
export { type EventPorts } from './event-ports.js'
export {
  type AggregateType,
  type Aggregates,
  type Folded,
  type CommandMeta,
  type Handled,
} from './aggregate.js'
export { type AggregatesOptions, createAggregates } from './create-aggregates.js'
export { commandIdOf, commitIdOf, derivedId, shardOf } from './ids.js'
export { type Timers, type Deadline, systemTimers } from './timers.js'
export { defaultRunShards, streamOfSubject, streamsOfNoun } from './topology.js'
export {
  type EmbeddedStore,
  type EmbeddedStoreOptions,
  createEmbeddedStore,
} from './embedded/create-embedded-store.js'
export { type Warning } from './embedded/core.js'
export { lockDirectory } from './embedded/directory-lock.js'
export {
  type JetStreamOptions,
  type JetStreamStore,
  connectJetStream,
} from './jetstream/connect-jetstream.js'
export { type NatsCredentials } from './jetstream/nats-connection.js'
export { type StreamsFile, loadStreamsFile } from './jetstream/streams-file.js'
export { type UsersFile, loadUsersFile } from './jetstream/users-file.js'
export { type NatsUser, type Permissions, usersOf } from './jetstream/user-permissions.js'
export { authorizationConf, passwordVariableOf } from './jetstream/server-conf.js'

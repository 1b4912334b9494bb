export {
  type Brand,
  type ProjectId,
  type SessionId,
  type RunId,
  type AgentId,
  type WorkspaceId,
} from './ids.js'
export {
  type ExecutionId,
  type ArtifactId,
  type CallId,
  type RequestId,
  type ReplicaId,
} from './ids.js'
export { type CommandId, type CommitId, type Digest } from './ids.js'
export { type Clock } from './clock.js'
export { type Decider } from './decider.js'
export { exhaustive } from './exhaustive.js'
export { canonicalJson } from './canonical-json.js'
export { type Chain, chainOf, push, toArray } from './chain.js'
export {
  PlatformError,
  isPlatformError,
  errorCodes,
  type ErrorCode,
  type ErrorDetails,
} from './platform-error.js'
export { toPlatformError, refused, invalid, notFound } from './platform-error.js'
export { type Buckets, emptyBuckets, lookUp, put } from './buckets.js'

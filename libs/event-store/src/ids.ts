import { createHash } from 'node:crypto'
import { canonicalJson } from '@sciencediscovery/kernel'

/** The id of a command: the same parts (project, principal, RPC, idempotency key) always give it. */
export function commandIdOf(...parts: readonly unknown[]): string {
  return hashOf('command', parts).toString('hex').slice(0, 40)
}

/** The id of the commit that the command makes on the subject; also its message id. */
export function commitIdOf(subject: string, commandId: string): string {
  return hashOf('commit', [subject, commandId]).toString('hex').slice(0, 40)
}

/** The id of a thing that a command creates: asking twice creates one. */
export function derivedId(prefix: string, ...parts: readonly unknown[]): string {
  return `${prefix}${hashOf(prefix, parts).toString('hex').slice(0, 32)}`
}

/** The shard of a session and of all its runs: one session can be sealed as one. */
export function shardOf(sessionId: string, shards: number): number {
  return hashOf('shard', [sessionId]).readUInt32BE(0) % shards
}

function hashOf(kind: string, parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(`${kind}\n`).update(canonicalJson(parts)).digest()
}

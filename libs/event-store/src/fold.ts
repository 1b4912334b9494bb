import { PlatformError } from '@sciencediscovery/kernel'
import { type AggregateType, type Folded } from './aggregate.js'
import { type RecordedEvent, type StoredCommit } from './commit.js'

/** A subject's state as far as it was folded, and the commands that made it. Only ever moves forward. */
export interface Entry<State> {
  folded: Folded<State>
  /** Command id → the commit it made; oldest first. */
  readonly handled: Map<string, CommitPlace>
  /** An upper estimate of what the entry keeps in memory. */
  sizeBytes: number
}

/** Where a commit is: its place in the stream, and the number of its last event. */
export interface CommitPlace {
  readonly sequence: number
  readonly lastPosition: number
}

const commitOverheadBytes = 340

/** The entry of a subject of which nothing was read yet. */
export function emptyEntry<State>(initialState: State): Entry<State> {
  const folded = { state: initialState, version: 0, position: 0, sequence: 0, lastCommitId: null }
  return { folded, handled: new Map(), sizeBytes: commitOverheadBytes }
}

/**
 * Moves the entry over one commit. A commit that it is already past is skipped; one that does not
 * follow exactly is refused, because a fold over a gap or a fork would decide on a wrong state.
 */
export function advance<State, Command, Event>(
  type: AggregateType<State, Command, Event>,
  entry: Entry<State>,
  stored: StoredCommit,
  parsed?: readonly Event[],
): number {
  const { commit, sequence } = stored
  if (sequence <= entry.folded.sequence) return 0
  refuseGapOrFork(entry.folded, stored)
  const events = parsed ?? commit.events.map(type.parse)
  entry.folded = {
    state: events.reduce((state, event) => type.decider.evolve(state, event), entry.folded.state),
    version: commit.version,
    position: entry.folded.position + events.length,
    sequence,
    lastCommitId: commit.commitId,
  }
  entry.handled.set(commit.commandId, { sequence, lastPosition: entry.folded.position })
  entry.sizeBytes +=
    commitOverheadBytes + commit.events.reduce((sum, event) => sum + sizeOf(event), 0)
  return parsed ? 0 : events.length
}

/** The sequence of the last commit that has no event beyond the position; 0 when there is none. */
export function sequenceBefore(entry: Entry<unknown>, position: number): number {
  if (position >= entry.folded.position) return entry.folded.sequence
  let found = 0
  for (const { sequence, lastPosition } of entry.handled.values()) {
    if (lastPosition > position) return found
    found = sequence
  }
  return found
}

function refuseGapOrFork(
  folded: Folded<unknown>,
  { commit, stream, sequence }: StoredCommit,
): void {
  const place = `${commit.subject} at ${stream}/${sequence}`
  if (commit.version !== folded.version + 1 || commit.firstPosition !== folded.position + 1) {
    throw broken(
      `${place}: a gap, version ${commit.version} follows version ${folded.version}`,
      'stream_gap',
    )
  }
  if (commit.previousId !== folded.lastCommitId) {
    throw broken(
      `${place}: a fork, its predecessor ${String(commit.previousId)} is not ${String(folded.lastCommitId)}`,
      'stream_fork',
    )
  }
}

/** What a stream that contradicts itself is answered with: nothing may be decided on it. */
export function broken(message: string, reason: string): PlatformError {
  return new PlatformError('bug', message, {
    reason,
    remedy:
      'stop its writers and restore the stream from the archive; nothing is decided on it until then',
  })
}

function sizeOf(event: RecordedEvent): number {
  return 64 + valueBytes(event.data)
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length * 2
  if (typeof value !== 'object' || value === null) return 8
  let total = 32
  for (const [name, member] of Object.entries(value)) total += name.length + valueBytes(member)
  return total
}

import { PlatformError } from '@sciencediscovery/kernel'
import { type Commit, type EventStore, type StoredCommit } from '@sciencediscovery/event-store'
import { type Random } from './seeded-random.js'

/** How often each thing goes wrong, 0 … 1. */
export interface Faults {
  /** The append lands, its answer is lost. */
  readonly lostAnswer: number
  /** The append is called unanswered and lands later, if it still can. */
  readonly lateLanding: number
  /** The append reaches the store twice. */
  readonly sentTwice: number
  /** The request is lost before it is sent. */
  readonly unreachable: number
}

/** Enough of everything. */
export const someFaults: Faults = {
  lostAnswer: 0.1,
  lateLanding: 0.1,
  sentTwice: 0.1,
  unreachable: 0.05,
}

/** None. */
export const noFaults: Faults = { lostAnswer: 0, lateLanding: 0, sentTwice: 0, unreachable: 0 }

export interface FaultySetting {
  readonly faults?: Faults
  /** Called between any two steps of a call: where a scheduler lets others run. Default: at once. */
  readonly step?: () => Promise<void>
  /** The same for what is under way on the wire and belongs to nobody any more. */
  readonly wire?: () => Promise<void>
}

/** The store behind a wire that delays, drops, repeats and reorders; what it drops is decided by `random`. */
export function faultyStore(
  store: EventStore,
  random: Random,
  setting: FaultySetting = {},
): EventStore {
  const { faults = someFaults, step = atOnce, wire = atOnce } = setting
  const happens = (chance: number): boolean => chance > 0 && random() < chance
  const reach = async (what: string): Promise<void> => {
    await step()
    if (happens(faults.unreachable)) throw new PlatformError('unavailable', `${what}: simulated`)
  }
  const land = (commit: Commit, expectedSequence: number): Promise<StoredCommit> =>
    store.append(commit, expectedSequence)
  const landLater = async (commit: Commit, expectedSequence: number): Promise<void> => {
    await wire()
    await land(commit, expectedSequence).catch(refusedIsFine)
  }
  return {
    ...delegated(store),
    append: async (commit, expectedSequence) => {
      await reach('append')
      if (happens(faults.sentTwice)) void landLater(commit, expectedSequence)
      if (happens(faults.lateLanding)) {
        void landLater(commit, expectedSequence)
        throw new PlatformError('unknown', 'append: simulated, lands later')
      }
      const stored = await land(commit, expectedSequence)
      await step()
      if (happens(faults.lostAnswer))
        throw new PlatformError('unknown', 'append: simulated, answer lost')
      return stored
    },
    last: async (subject) => {
      await reach('last')
      const stored = await store.last(subject)
      await step()
      return stored
    },
    async *read(subject, range) {
      await reach('read')
      for await (const stored of store.read(subject, range)) {
        if (happens(0.2)) await step()
        yield stored
      }
    },
  }
}

/** Everything that is not under test goes straight through. */
function delegated(store: EventStore): EventStore {
  return {
    runShards: store.runShards,
    streamsOf: (noun) => store.streamsOf(noun),
    append: (commit, expectedSequence, signal) => store.append(commit, expectedSequence, signal),
    last: (subject, signal) => store.last(subject, signal),
    read: (subject, range, signal) => store.read(subject, range, signal),
    followSubject: (subject, afterSequence, signal) =>
      store.followSubject(subject, afterSequence, signal),
    followStream: (stream, afterSequence, options) =>
      store.followStream(stream, afterSequence, options),
    lastSequence: (stream, signal) => store.lastSequence(stream, signal),
    identityOf: (stream) => store.identityOf(stream),
    react: (group, handler) => store.react(group, handler),
    describe: () => store.describe(),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

function atOnce(): Promise<void> {
  return Promise.resolve()
}

function refusedIsFine(error: unknown): void {
  if (error instanceof PlatformError && error.code === 'conflict') return
  throw error
}

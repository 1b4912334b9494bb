import { type Commit, type StoredCommit } from './commit.js'

/** Which commits a reactor group is delivered, and how patiently. */
export interface ReactorGroup {
  /** Durable name: `<service>-<group>`. Competing members share the deliveries. */
  readonly name: string
  /** The noun whose streams are read: `runs`, `sessions`, `workspaces` … */
  readonly noun: string
  /** How long one delivery may go without an answer or heartbeat, in milliseconds. Default 30 000. */
  readonly ackWaitMs?: number
  /** Deliveries handled at once by this member. */
  readonly slots: number
  /** Told of every handling that threw, before it is delivered again, and (sequence 0) of a lost consumer: for the log. */
  readonly onFailure?: (
    error: unknown,
    delivery: Pick<Delivery, 'stream' | 'sequence' | 'attempt'>,
  ) => void
  /** After this many deliveries `delivery.exhausted` is true; delivery itself never stops. Default 10. */
  readonly maxAttempts?: number
}

/** One commit in the hands of a reactor. Returning settles it, throwing asks for it again after a delay. */
export interface Delivery extends StoredCommit {
  /** 1 for the first delivery. */
  readonly attempt: number
  /** True past `maxAttempts`: run no effect, give each open request its one outcome. */
  readonly exhausted: boolean
}

/** Handles one delivery; must be idempotent. Heartbeats are sent for it until it settles. */
export type DeliveryHandler = (delivery: Delivery, signal: AbortSignal) => Promise<void>

/** The range of one subject to read. */
export interface SubjectRange {
  /** Exclusive lower bound, a stream sequence. Default 0. */
  readonly afterSequence?: number
  /** The read must reach this stream sequence (as `last` or a delivery gave it); it waits or re-reads until it does. */
  readonly upToSequence: number
}

/**
 * The ledger. Implementations: embedded (one process, one journal) and JetStream.
 * `testing/eventStoreContract` states what each must keep.
 */
export interface EventStore extends AsyncDisposable {
  /** The physical streams of a noun: `runs` → `RUNS_0` … `RUNS_3`. */
  streamsOf(noun: string): readonly string[]
  /** How many streams the runs are spread over (fixed at first start). */
  readonly runShards: number
  /**
   * Appends when the subject's last commit is at `expectedSequence` (0 for a new subject).
   * Throws `conflict` (somebody was faster) or `unknown` (no answer); after both, look for the commit id.
   * Refuses a commit over `maxCommitBytes` with `invalid` before anything is sent.
   */
  append(commit: Commit, expectedSequence: number, signal?: AbortSignal): Promise<StoredCommit>
  /** The last commit of the subject as the leader tells it; undefined for a new subject. */
  last(subject: string, signal?: AbortSignal): Promise<StoredCommit | undefined>
  /** The commits of one subject in order. */
  read(subject: string, range: SubjectRange, signal?: AbortSignal): AsyncIterable<StoredCommit>
  /**
   * The commits of one subject in order and then live, until the signal aborts.
   * Never skips and never repeats; hints may be lost, the implementation looks again by itself.
   */
  followSubject(
    subject: string,
    afterSequence: number,
    signal: AbortSignal,
  ): AsyncIterable<StoredCommit>
  /** All commits of a physical stream in order, in batches of at most `batch`, then live, until the signal aborts. */
  followStream(
    stream: string,
    afterSequence: number,
    options: { readonly batch: number; readonly signal: AbortSignal },
  ): AsyncIterable<readonly StoredCommit[]>
  /** The last sequence of a physical stream; 0 when empty. */
  lastSequence(stream: string, signal?: AbortSignal): Promise<number>
  /** Changes when the stream was deleted and made anew: views compare it with the one they stored. */
  identityOf(stream: string): Promise<string>
  /** Joins a reactor group. A new group starts at the stream's current end. Disposing drains it. */
  react(group: ReactorGroup, handler: DeliveryHandler): Promise<AsyncDisposable>
  /** What doctor shows: backend, version, durability, problems with their remedy. */
  describe(): Promise<StoreDescription>
}

/** What doctor shows of the store. */
export interface StoreDescription {
  readonly backend: 'embedded' | 'jetstream'
  readonly version: string
  /** True when an acknowledged commit survives power loss. */
  readonly durable: boolean
  readonly replicas: number
  readonly notes: readonly { readonly problem: string; readonly remedy: string }[]
}

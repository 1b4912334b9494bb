import { type Database, type Log } from '@sciencediscovery/db'
import { type EventStore, type StoredCommit, type Timers } from '@sciencediscovery/event-store'
import { isPlatformError, PlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { BatchSize } from './batch-size.js'
import {
  type Checkpoint,
  type CheckpointKey,
  ensureCheckpoint,
  moveCheckpoint,
  readCheckpoint,
} from './checkpoint-rows.js'
import { Failures, type ViewFailure } from './failures.js'
import { resetView } from './reset-view.js'
import { type ViewMetrics } from './view-metrics.js'
import { type View } from './view.js'

/** What the readers of one view share. */
export interface ReaderContext<Schema> {
  readonly view: View<Schema>
  readonly database: Database<Schema>
  readonly store: EventStore
  readonly logger: Log
  readonly metrics: ViewMetrics
  readonly timers: Timers
  /** A standby takes over when the checkpoint did not move for this long although there is work. */
  readonly takeoverMs: number
  readonly failAfterAttempts: number
  /** A checkpoint moved. */
  readonly onMoved: () => void
  /** The view was emptied: every reader must start again. */
  readonly onReset: () => void
}

/** Active: it moves the checkpoint. Standby: somebody else does, it watches. */
export type ReaderRole = 'active' | 'standby'

/**
 * A rest after a small batch lets the commits of one step share a transaction; who waits for a position
 * ends it. The embedded database computes in the process that makes the calls, so there it is longer.
 */
const restMs = { pg: 15, pglite: 100 } as const
const smallBatch = 64

/** The checkpoint is no longer what this reader believes: start from what the table says. */
class StartAgain extends Error {}

/**
 * Reads one physical stream into one view. Invariants: rows and checkpoint move in one transaction; the
 * checkpoint moves only from where this reader saw it; a commit that fails holds back nothing but what
 * follows it in the same stream and view.
 */
export class StreamReader<Schema> {
  readonly #context: ReaderContext<Schema>
  readonly #key: CheckpointKey
  readonly #batchSize = new BatchSize()
  readonly #failures: Failures
  #checkpoint: Checkpoint = { identity: '', sequence: 0 }
  #role: ReaderRole = 'active'
  #following = new AbortController()
  #resting = new AbortController()

  constructor(context: ReaderContext<Schema>, stream: string) {
    this.#context = context
    this.#key = { view: context.view.name, stream }
    this.#failures = new Failures(this.#key, context)
  }

  get stream(): string {
    return this.#key.stream
  }

  get role(): ReaderRole {
    return this.#role
  }

  /** What it fails at, once that is more than a hiccup. */
  get failing(): ViewFailure | undefined {
    return this.#failures.shown
  }

  /** Somebody waits for what this reader reads: it takes no rest before its next batch. */
  hurry(): void {
    this.#resting.abort()
  }

  /** Makes it start again from the checkpoint in the table. */
  startAgain(): void {
    this.#following.abort()
  }

  /** Reads until the signal aborts; whatever fails is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#following = new AbortController()
      const following = AbortSignal.any([signal, this.#following.signal])
      try {
        await this.#follow(following)
        if (!following.aborted)
          throw new PlatformError('unavailable', `the stream ${this.stream} ended`)
      } catch (error) {
        if (error instanceof StartAgain || following.aborted) continue
        await this.#context.timers.sleep(
          this.#failures.note(toPlatformError(error), this.#checkpoint.sequence),
          signal,
        )
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store } = this.#context
    this.#checkpoint = await this.#validCheckpoint(signal)
    this.#failures.passed(this.#checkpoint.sequence)
    const options = { batch: BatchSize.max, signal }
    for await (const commits of store.followStream(
      this.stream,
      this.#checkpoint.sequence,
      options,
    )) {
      await this.#take(commits, signal)
      if (commits.length < smallBatch) await this.#rest(signal)
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const { timers, database } = this.#context
    await timers.sleep(restMs[database.dialect], AbortSignal.any([signal, this.#resting.signal]))
    this.#resting = new AbortController()
  }

  /** The checkpoint, after a reset of the view when it belongs to a stream that is no more. */
  async #validCheckpoint(signal: AbortSignal): Promise<Checkpoint> {
    const { store, database, view, logger, metrics, onReset } = this.#context
    const identity = await store.identityOf(this.stream)
    const found = await ensureCheckpoint(database.untyped, this.#key, identity)
    const last = await store.lastSequence(this.stream, signal)
    const isValid = (checkpoint: Checkpoint | undefined): boolean =>
      checkpoint === undefined || (checkpoint.identity === identity && checkpoint.sequence <= last)
    if (isValid(found)) return found
    const place = { view, database, store }
    if (await resetView(place, (checkpoints) => !isValid(checkpoints.get(this.stream)))) {
      logger.warn(
        { ...this.#key, found, identity, last },
        'the stream was made anew: the view is rebuilt from zero',
      )
      metrics.rebuilt(this.#key)
      onReset()
    }
    throw new StartAgain()
  }

  async #take(commits: readonly StoredCommit[], signal: AbortSignal): Promise<void> {
    for (let rest = this.#unread(commits); rest.length > 0; rest = this.#unread(rest)) {
      if (signal.aborted) return
      if (this.#role === 'standby') await this.#standBy(signal)
      else await this.#applyNext(rest, signal)
    }
  }

  #unread(commits: readonly StoredCommit[]): readonly StoredCommit[] {
    return commits.filter(({ sequence }) => sequence > this.#checkpoint.sequence)
  }

  async #applyNext(commits: readonly StoredCommit[], signal: AbortSignal): Promise<void> {
    const chunk = commits.slice(0, this.#batchSize.current)
    const progress = { applied: 0 }
    const outcome = await this.#apply(chunk, progress).catch(toPlatformError)
    if (outcome === false) await this.#fenced()
    else if (outcome !== true) await this.#failed(outcome, chunk, progress.applied, signal)
  }

  /** After a failure: what comes before the commit that failed at once, that commit alone and later. */
  async #failed(
    error: PlatformError,
    chunk: readonly StoredCommit[],
    applied: number,
    signal: AbortSignal,
  ): Promise<void> {
    const before = chunk.slice(0, applied)
    const failed = chunk[applied] ?? chunk.at(-1)
    const pauseMs = this.#failures.note(error, failed?.sequence ?? this.#checkpoint.sequence)
    const isolated = before.length > 0 && !isRetryable(error)
    if (isolated && !(await this.#apply(before, { applied: 0 }))) await this.#fenced()
    await this.#context.timers.sleep(pauseMs, signal)
  }

  /** Applies the commits and moves the checkpoint, all or nothing; false when another reader moved it. */
  async #apply(commits: readonly StoredCommit[], progress: { applied: number }): Promise<boolean> {
    const { database, view, timers, metrics, onMoved } = this.#context
    const to = commits.at(-1)?.sequence ?? this.#checkpoint.sequence
    const startedAt = timers.now()
    const moved = await database.db.transaction().execute(async (tx) => {
      if (!(await moveCheckpoint(tx, this.#key, this.#checkpoint, to))) return false
      for (const commit of commits) {
        await view.apply(tx, commit)
        progress.applied++
      }
      return true
    })
    if (!moved) return false
    this.#checkpoint = { ...this.#checkpoint, sequence: to }
    this.#failures.passed(to)
    const durationMs = timers.now() - startedAt
    this.#batchSize.learn(commits.length, durationMs)
    metrics.applied(this.#key, { commits: commits.length, durationMs })
    onMoved()
    return true
  }

  async #fenced(): Promise<void> {
    this.#role = 'standby'
    this.#context.metrics.fenced(this.#key)
    await this.#adopt()
  }

  /** Watches another reader; becomes active when the checkpoint stands still. */
  async #standBy(signal: AbortSignal): Promise<void> {
    await this.#context.timers.sleep(this.#context.takeoverMs, signal)
    const before = this.#checkpoint.sequence
    await this.#adopt()
    if (this.#checkpoint.sequence === before) this.#role = 'active'
  }

  async #adopt(): Promise<void> {
    const now = await readCheckpoint(this.#context.database.untyped, this.#key)
    const { identity, sequence } = this.#checkpoint
    if (now?.identity !== identity || now.sequence < sequence) throw new StartAgain()
    this.#checkpoint = now
  }
}

/** Whether the database or the bus failed, and not the view. */
function isRetryable(error: unknown): boolean {
  return (
    isPlatformError(error) &&
    ['unavailable', 'unknown', 'conflict', 'deadline', 'exhausted'].includes(error.code)
  )
}

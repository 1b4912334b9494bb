import { z } from 'zod'
import { type Timers } from '../timers.js'
import { DueList } from './due-list.js'
import { Gate } from '../gate.js'
import { type DoneSchema, type OfferSchema, type TakenSchema, toRecord } from './group-records.js'
import { recordKinds } from './journal-format.js'
import { type RecordLog } from './record-log.js'

/** A job that is open: waiting for its time, or in somebody's hands. */
export interface Job {
  readonly queue: string
  readonly id: string
  readonly payload: unknown
  attempt: number
}

interface Queue {
  readonly open: Map<string, Job>
  readonly waiting: DueList<Job>
}

/** The open jobs of all queues. */
export class JobBoard {
  readonly #log: RecordLog
  readonly #timers: Timers
  readonly #queues = new Map<string, Queue>()
  readonly #changed = new Gate()

  constructor(log: RecordLog, timers: Timers) {
    this.#log = log
    this.#timers = timers
  }

  async offer(queue: string, id: string, payload: unknown): Promise<void> {
    const { open } = this.#queueOf(queue)
    if (open.has(id)) return
    const job = { queue, id, payload: copyOf(payload), attempt: 0 }
    open.set(id, job)
    try {
      await this.#log.write(toRecord(recordKinds.offer, { queue, id, payload }))
    } catch (error) {
      open.delete(id)
      throw error
    }
    this.putBack(job, 0)
  }

  /** Waits for a job; undefined when the signal aborts. */
  async take(queue: string, signal: AbortSignal): Promise<Job | undefined> {
    const { waiting } = this.#queueOf(queue)
    while (!signal.aborted) {
      const seen = this.#changed.count
      const job = waiting.take(this.#timers.now())
      if (job) return this.#begun(job)
      await this.#changed.passed(seen, signal, waiting.waitMs(this.#timers.now()))
    }
    return undefined
  }

  async complete({ queue, id }: Job): Promise<void> {
    await this.#log.write(toRecord(recordKinds.done, { queue, id }))
    this.#queueOf(queue).open.delete(id)
  }

  putBack(job: Job, delayMs: number): void {
    this.#queueOf(job.queue).waiting.add(job, this.#timers.now() + delayMs)
    this.#changed.open()
  }

  waiting(queue: string): number {
    return this.#queueOf(queue).waiting.countDue(this.#timers.now())
  }

  recoverOffer({ queue, id, payload }: z.infer<typeof OfferSchema>): void {
    this.#queueOf(queue).open.set(id, { queue, id, payload, attempt: 0 })
  }

  recoverTaken({ queue, id, attempt }: z.infer<typeof TakenSchema>): void {
    const job = this.#queueOf(queue).open.get(id)
    if (job) job.attempt = attempt
  }

  recoverDone({ queue, id }: z.infer<typeof DoneSchema>): void {
    this.#queueOf(queue).open.delete(id)
  }

  /** After the journal was read: whatever is open has no holder any more. */
  recovered(): void {
    for (const { open } of this.#queues.values())
      for (const job of open.values()) this.putBack(job, 0)
  }

  #begun(job: Job): Job {
    job.attempt += 1
    this.#log.writeLater(
      toRecord(recordKinds.taken, { queue: job.queue, id: job.id, attempt: job.attempt }),
    )
    return job
  }

  #queueOf(name: string): Queue {
    const queue = this.#queues.get(name) ?? {
      open: new Map<string, Job>(),
      waiting: new DueList<Job>(),
    }
    this.#queues.set(name, queue)
    return queue
  }
}

/** What a wire would make of it: both backends hand out the same. */
function copyOf(payload: unknown): unknown {
  return payload === undefined ? undefined : z.unknown().parse(JSON.parse(JSON.stringify(payload)))
}

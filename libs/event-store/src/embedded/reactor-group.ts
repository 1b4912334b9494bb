import { type z } from 'zod'
import { type Timers } from '../timers.js'
import { DueList } from './due-list.js'
import { type AckSchema, type AttemptSchema, type GroupRecord, toRecord } from './group-records.js'
import { recordKinds } from './journal-format.js'
import { type Ledger } from './ledger.js'
import { type RecordLog } from './record-log.js'

/** One commit to be delivered. */
export interface Work {
  readonly stream: string
  readonly sequence: number
  readonly attempt: number
}

interface Progress {
  /** Everything up to here is acknowledged. */
  floor: number
  /** The next one to be delivered for the first time. */
  next: number
  readonly acked: Set<number>
}

/** What a reactor group has been delivered and has acknowledged: the same for all its members. */
export class ReactorGroupState {
  readonly #name: string
  readonly #ledger: Ledger
  readonly #log: RecordLog
  readonly #timers: Timers
  readonly #streams = new Map<string, Progress>()
  readonly #attempts = new Map<string, number>()
  readonly #again = new DueList<Work>()
  /** One per free slot of all members. */
  readonly #waiting: ((work: Work | undefined) => void)[] = []
  /** When somebody will look again by himself. */
  #looksAt: number | undefined

  constructor(group: GroupRecord, means: { ledger: Ledger; log: RecordLog; timers: Timers }) {
    this.#name = group.name
    this.#ledger = means.ledger
    this.#log = means.log
    this.#timers = means.timers
    means.ledger.grown.onOpen(() => {
      this.#hand()
    })
    for (const [stream, start] of Object.entries(group.starts)) {
      this.#streams.set(stream, { floor: start, next: start + 1, acked: new Set() })
    }
  }

  /** Waits for the next delivery; undefined when the signal aborts. Those who wait longest come first. */
  take(signal: AbortSignal): Promise<Work | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const give = (work: Work | undefined): void => {
        signal.removeEventListener('abort', leave)
        resolve(work)
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1)
        give(undefined)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(give)
      this.#hand()
    })
  }

  /** Settled: never delivered again, also after a restart. */
  acknowledge({ stream, sequence }: Work): void {
    this.recoverAck({ group: this.#name, stream, sequence })
    this.#log.writeLater(toRecord(recordKinds.ack, { group: this.#name, stream, sequence }))
  }

  /** To be delivered again after the delay. */
  giveBack(work: Work, delayMs: number): void {
    this.#again.add(work, this.#timers.now() + delayMs)
    this.#hand()
  }

  recoverAck({ stream, sequence }: z.infer<typeof AckSchema>): void {
    const progress = this.#streams.get(stream)
    if (!progress) return
    progress.acked.add(sequence)
    while (progress.acked.delete(progress.floor + 1)) progress.floor += 1
    progress.next = Math.max(progress.next, progress.floor + 1)
    this.#attempts.delete(`${stream}/${sequence}`)
  }

  recoverAttempt({ stream, sequence, attempt }: z.infer<typeof AttemptSchema>): void {
    this.#attempts.set(`${stream}/${sequence}`, attempt)
  }

  /** Gives what there is to those who wait: with many slots, waking all of them for each commit would cost more than the work. */
  #hand(): void {
    while (this.#waiting.length > 0) {
      const work = this.#again.take(this.#timers.now()) ?? this.#firstTime()
      if (!work) break
      this.#waiting.shift()?.(this.#begun(work))
    }
    if (this.#waiting.length > 0) this.#lookAgainLater()
  }

  #lookAgainLater(): void {
    const now = this.#timers.now()
    const waitMs = this.#again.waitMs(now)
    if (waitMs === undefined || (this.#looksAt ?? Infinity) <= now + waitMs) return
    const looksAt = now + waitMs
    this.#looksAt = looksAt
    void this.#timers.sleep(waitMs).then(() => {
      if (this.#looksAt === looksAt) this.#looksAt = undefined
      this.#hand()
    })
  }

  #firstTime(): Work | undefined {
    for (const [stream, progress] of this.#streams) {
      const last = this.#ledger.lastSequence(stream)
      while (progress.next <= last) {
        const sequence = progress.next
        progress.next += 1
        if (!progress.acked.has(sequence)) return { stream, sequence, attempt: 0 }
      }
    }
    return undefined
  }

  /** Counted before the handler runs: a commit that kills its process must come to an end, too. */
  #begun({ stream, sequence }: Work): Work {
    const key = `${stream}/${sequence}`
    const attempt = (this.#attempts.get(key) ?? 0) + 1
    this.#attempts.set(key, attempt)
    this.#log.writeLater(
      toRecord(recordKinds.attempt, { group: this.#name, stream, sequence, attempt }),
    )
    return { stream, sequence, attempt }
  }
}

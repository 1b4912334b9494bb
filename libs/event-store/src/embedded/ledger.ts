import { PlatformError } from '@sciencediscovery/kernel'
import { type Commit, type StoredCommit } from '../commit.js'
import { decodeCommit, encodeCommit } from '../commit-codec.js'
import { streamOfSubject } from '../topology.js'
import { type Bodies } from './bodies.js'
import { subjectOfRecord, toCommitRecord } from './commit-record.js'
import { Gate } from '../gate.js'
import { type Place } from './journal-format.js'
import { type RecordLog } from './record-log.js'

/** The commits of all streams: which are where, and which was the last of a subject. */
export class Ledger {
  readonly grown = new Gate()
  readonly runShards: number
  readonly #log: RecordLog
  readonly #bodies: Bodies
  readonly #lasts = new Map<string, number>()
  readonly #subjects = new Map<string, number[]>()
  readonly #pending = new Map<string, Promise<void>>()

  constructor(log: RecordLog, bodies: Bodies, runShards: number) {
    this.#log = log
    this.#bodies = bodies
    this.runShards = runShards
  }

  /** Learns a commit record that was in the journal at start. */
  recover(body: Buffer, place: Place): void {
    this.#index(subjectOfRecord(body), place, undefined, body.length)
  }

  async append(commit: Commit, expectedSequence: number): Promise<StoredCommit> {
    const { subject } = commit
    const stream = streamOfSubject(subject, this.runShards)
    const bytes = encodeCommit(commit)
    // A write on its way decides first: it may fail, and then the caller's expectation still holds.
    for (let before = this.#pending.get(subject); before; before = this.#pending.get(subject))
      await before
    if (this.lastOfSubject(subject) !== expectedSequence) {
      throw new PlatformError(
        'conflict',
        `${subject}: the last commit is not at ${expectedSequence} any more`,
      )
    }
    let sequence = 0
    const kept = decodeCommit(bytes, subject)
    const writing = this.#log.write(toCommitRecord(subject, bytes), (place) => {
      sequence = this.#index(subject, place, kept, bytes.length)
    })
    await this.#guard(subject, writing)
    return { commit, stream, sequence }
  }

  lastSequence(stream: string): number {
    return this.#lasts.get(stream) ?? 0
  }

  lastOfSubject(subject: string): number {
    return this.#subjects.get(subject)?.at(-1) ?? 0
  }

  /** Up to `limit` sequences of the subject after one, in order. */
  sequencesOf(subject: string, afterSequence: number, limit: number): readonly number[] {
    const all = this.#subjects.get(subject) ?? []
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((all[middle] ?? 0) <= afterSequence) low = middle + 1
      else high = middle
    }
    return all.slice(low, low + limit)
  }

  commits(stream: string, sequences: readonly number[]): Promise<readonly StoredCommit[]> {
    return this.#bodies.get(stream, sequences)
  }

  #index(
    subject: string,
    place: Place | undefined,
    commit: Commit | undefined,
    sizeBytes: number,
  ): number {
    const stream = streamOfSubject(subject, this.runShards)
    const sequence = this.lastSequence(stream) + 1
    this.#lasts.set(stream, sequence)
    const sequences = this.#subjects.get(subject)
    if (sequences) sequences.push(sequence)
    else this.#subjects.set(subject, [sequence])
    this.#bodies.add(stream, place, commit && { commit, stream, sequence }, sizeBytes)
    this.grown.open()
    return sequence
  }

  async #guard(subject: string, writing: Promise<void>): Promise<void> {
    const settled = writing.then(
      () => undefined,
      () => undefined,
    )
    this.#pending.set(subject, settled)
    try {
      await writing
    } finally {
      if (this.#pending.get(subject) === settled) this.#pending.delete(subject)
    }
  }
}

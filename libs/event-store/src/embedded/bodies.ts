import { type StoredCommit } from '../commit.js'
import { decodeCommit } from '../commit-codec.js'
import { commitBytesOf } from './commit-record.js'
import { type Place } from './journal-format.js'
import { Places } from './places.js'
import { type RecordLog } from './record-log.js'

/** The commits themselves, by stream and sequence. */
export interface Bodies {
  /** Learns of the next commit of the stream; `stored` is undefined when a journal is read back. */
  add(
    stream: string,
    place: Place | undefined,
    stored: StoredCommit | undefined,
    sizeBytes: number,
  ): void
  get(stream: string, sequences: readonly number[]): Promise<readonly StoredCommit[]>
}

/** Keeps everything: for a store without a directory. */
export function memoryBodies(): Bodies {
  const streams = new Map<string, StoredCommit[]>()
  return {
    add: (stream, _place, stored) => {
      const kept = streams.get(stream) ?? []
      streams.set(stream, kept)
      if (stored) kept.push(stored)
    },
    get: (stream, sequences) => {
      const kept = streams.get(stream) ?? []
      return Promise.resolve(sequences.flatMap((sequence) => kept[sequence - 1] ?? []))
    },
  }
}

/** Keeps places, and the newest and last read commits up to a budget. */
export class JournalBodies implements Bodies {
  readonly #log: RecordLog
  readonly #budgetBytes: number
  readonly #streams = new Map<string, Places>()
  readonly #recent = new Map<
    string,
    { readonly stored: StoredCommit; readonly sizeBytes: number }
  >()
  #recentBytes = 0

  constructor(log: RecordLog, budgetBytes: number) {
    this.#log = log
    this.#budgetBytes = budgetBytes
  }

  add(
    stream: string,
    place: Place | undefined,
    stored: StoredCommit | undefined,
    sizeBytes: number,
  ): void {
    const places = this.#streams.get(stream) ?? new Places()
    this.#streams.set(stream, places)
    if (place) places.push(place)
    if (stored) this.#remember(stored, sizeBytes)
  }

  async get(stream: string, sequences: readonly number[]): Promise<readonly StoredCommit[]> {
    const places = this.#streams.get(stream)
    if (!places) return []
    const found = new Map<number, StoredCommit>()
    for (const sequence of sequences) {
      const kept = this.#recent.get(keyOf(stream, sequence))
      if (kept) found.set(sequence, kept.stored)
    }
    const missing = sequences.filter((sequence) => !found.has(sequence))
    const bodies = await this.#log.read(missing.map((sequence) => places.at(sequence - 1)))
    missing.forEach((sequence, index) => {
      const body = bodies[index]
      if (!body) return
      const commit = decodeCommit(commitBytesOf(body), `journal record ${stream}/${sequence}`)
      const stored = { commit, stream, sequence }
      found.set(sequence, stored)
      this.#remember(stored, body.length)
    })
    return sequences.flatMap((sequence) => found.get(sequence) ?? [])
  }

  #remember(stored: StoredCommit, sizeBytes: number): void {
    const key = keyOf(stored.stream, stored.sequence)
    if (this.#recent.has(key)) return
    this.#recent.set(key, { stored, sizeBytes })
    this.#recentBytes += sizeBytes
    for (const [oldest, kept] of this.#recent) {
      if (this.#recentBytes <= this.#budgetBytes) break
      this.#recent.delete(oldest)
      this.#recentBytes -= kept.sizeBytes
    }
  }
}

function keyOf(stream: string, sequence: number): string {
  return `${stream}/${sequence}`
}

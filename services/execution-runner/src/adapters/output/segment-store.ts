import { type BlobStore } from '@sciencediscovery/blob-store'
import { type OutputStream } from '../../output.js'
import { type Manifest } from './manifest.js'
import { type Spool } from './spool.js'

type Segment = Manifest['stdout']['segments'][number]

const segmentBytes = 1024 * 1024
/** Stored at once: this many segments are in memory, no more. */
const segmentsAtOnce = 8

/** Puts the retained bytes of both streams into the blob store, a segment each; what was put is not put again. */
export class SegmentStore {
  readonly #blobs: BlobStore
  readonly #spools: Readonly<Record<OutputStream, Spool>>
  readonly #stored: Readonly<Record<OutputStream, Segment[]>> = { stdout: [], stderr: [] }

  constructor(blobs: BlobStore, spools: Readonly<Record<OutputStream, Spool>>) {
    this.#blobs = blobs
    this.#spools = spools
  }

  get storedBytes(): number {
    return endOf(this.#stored.stdout) + endOf(this.#stored.stderr)
  }

  /** What was put so far. */
  segments(stream: OutputStream): readonly Segment[] {
    return [...this.#stored[stream]]
  }

  /** Puts the whole segments that will never change: of the end of an output nothing is known before it ends. */
  async storeSettled(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      const stored = this.#stored[stream]
      const whole = Math.floor(this.#spools[stream].settledBytes / segmentBytes)
      await this.#put(stream, endOf(stored), whole * segmentBytes)
    }
  }

  /** Puts what is left of everything that is retained. */
  async storeRest(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      for (const { offset, endOffset } of this.#spools[stream].ranges())
        await this.#put(stream, Math.max(offset, endOf(this.#stored[stream])), endOffset)
    }
  }

  async #put(stream: OutputStream, from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += segmentsAtOnce * segmentBytes) {
      const offsets = Array.from(
        { length: Math.min(segmentsAtOnce, Math.ceil((to - at) / segmentBytes)) },
        (_, index) => at + index * segmentBytes,
      )
      const contents = await Promise.all(
        offsets.map((offset) =>
          this.#spools[stream].readFully(offset, Math.min(segmentBytes, to - offset)),
        ),
      )
      const blobs = await this.#blobs.putMany(contents)
      this.#stored[stream].push(
        ...blobs.map(({ digest, sizeBytes }, index) => ({
          ...{ digest, sizeBytes },
          offset: at + index * segmentBytes,
        })),
      )
    }
  }
}

function endOf(segments: readonly Segment[]): number {
  const last = segments.at(-1)
  return last ? last.offset + last.sizeBytes : 0
}

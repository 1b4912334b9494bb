import { type SegmentStore } from './segment-store.js'

/** After so much more output, another part of it is stored. */
const storeEveryBytes = 16 * 1024 * 1024
/** After so much more stored output, that is made known (architecture, chapter 6). */
const tellEveryBytes = 64 * 1024 * 1024

/**
 * Stores a long output while it grows, in the background: reading the pipe does not wait for it. A
 * failure means nothing here, for the end of the execution stores what is missing or fails.
 */
export class RunningStorage {
  readonly #segments: SegmentStore
  readonly #tell: () => Promise<void>
  #grownBytes = 0
  #toldBytes = 0
  #working: Promise<void> | undefined
  #ended = false

  constructor(segments: SegmentStore, tell: () => Promise<void>) {
    this.#segments = segments
    this.#tell = tell
  }

  grown(bytes: number): void {
    this.#grownBytes += bytes
    if (this.#grownBytes < storeEveryBytes || this.#working !== undefined || this.#ended) return
    this.#grownBytes = 0
    this.#working = this.#store()
      .catch(() => undefined)
      .finally(() => {
        this.#working = undefined
      })
  }

  /** Resolves when nothing is stored in the background any more. */
  async end(): Promise<void> {
    this.#ended = true
    await this.#working
  }

  async #store(): Promise<void> {
    await this.#segments.storeSettled()
    const { storedBytes } = this.#segments
    if (storedBytes - this.#toldBytes < tellEveryBytes || this.#ended) return
    await this.#tell()
    this.#toldBytes = storedBytes
  }
}

import { type OutputStream } from '../../output.js'
import { incompleteEnd } from './characters.js'

/** So many changes of stream are kept one by one; from there on the grain grows with their number. */
const fineRuns = 32 * 1024
const runsPerStep = 16 * 1024
const firstGrainBytes = 1024

interface Waiting {
  /** Whole characters that are not in the order yet. */
  held: number
  /** The last bytes, when they are only the beginning of a character. */
  tail: Buffer
}

const nothing = Buffer.alloc(0)

/**
 * In which order the bytes of both streams came: lengths of runs, the first one of stdout. A character
 * that came in pieces belongs to one run. A place in this order is a cursor, which never changes its
 * meaning. Streams that alternate for hours make coarser runs, not more memory.
 */
export class ArrivalOrder {
  readonly #runs: number[] = []
  readonly #waiting: Readonly<Record<OutputStream, Waiting>> = {
    stdout: { held: 0, tail: nothing },
    stderr: { held: 0, tail: nothing },
  }

  add(stream: OutputStream, chunk: Buffer): void {
    const one = this.#waiting[stream]
    const end = chunk.length >= 4 ? chunk.subarray(-4) : Buffer.concat([one.tail, chunk])
    const incomplete = incompleteEnd(end)
    one.held += one.tail.length + chunk.length - incomplete
    one.tail = incomplete === 0 ? nothing : Buffer.from(end.subarray(end.length - incomplete))
    if (stream === this.#lastStream || one.held >= this.#grainBytes()) this.#settle(stream)
  }

  /** The stream is over: what looked like the beginning of a character is all there is. */
  end(stream: OutputStream): void {
    const one = this.#waiting[stream]
    one.held += one.tail.length
    one.tail = nothing
    this.#settle(stream)
  }

  /** The order so far. */
  runs(): readonly number[] {
    const last = this.#lastStream
    this.#settle(last)
    this.#settle(last === 'stdout' ? 'stderr' : 'stdout')
    return this.#runs
  }

  get #lastStream(): OutputStream {
    return this.#runs.length % 2 === 1 ? 'stdout' : 'stderr'
  }

  #grainBytes(): number {
    const over = this.#runs.length - fineRuns
    return over < 0 ? 1 : firstGrainBytes * 2 ** Math.floor(over / runsPerStep)
  }

  #settle(stream: OutputStream): void {
    const one = this.#waiting[stream]
    if (one.held === 0) return
    if (this.#runs.length === 0 && stream === 'stderr') this.#runs.push(0)
    if (this.#runs.length > 0 && stream === this.#lastStream) {
      this.#runs[this.#runs.length - 1] = (this.#runs.at(-1) ?? 0) + one.held
    } else this.#runs.push(one.held)
    one.held = 0
  }
}

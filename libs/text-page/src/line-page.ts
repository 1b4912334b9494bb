import { countCharacters, fittingStart, indexAfter } from './characters.js'

/** The longest page in UTF-8 bytes (S-02, S-05, S-19). */
export const maxPageBytes = 40 * 1024

/** Which lines of a text. */
export interface LineRange {
  /** First line, 1-based. */
  readonly offset: number
  /** Lines at most. */
  readonly limit: number
  /** Characters to skip inside the first line. */
  readonly charOffset: number
}

/** Whole lines as long as they fit, or the part that fits of a line that is too long for a page. */
export interface LinePage {
  readonly content: string
  /** 0 when the page is empty. */
  readonly startLine: number
  readonly endLine: number
  /** A final newline starts no further line. */
  readonly totalLines: number
  readonly hasMore: boolean
  /** Where to go on; 0 on the last page. */
  readonly nextOffset: number
  readonly nextCharOffset: number
  /** The page ends inside a line. */
  readonly partialLine: boolean
}

/**
 * Cuts one page out of a UTF-8 text that comes in pieces, and counts the lines of the whole. Memory
 * stays at one page and one piece, whatever the text: it may be one line of many gigabytes.
 */
export async function readLinePage(
  utf8: AsyncIterable<Uint8Array>,
  range: LineRange,
  maxBytes: number = maxPageBytes,
): Promise<LinePage> {
  const cutter = new LineCutter(range, maxBytes)
  for await (const piece of utf8) cutter.add(piece)
  return cutter.finish()
}

const newline = 0x0a

interface Place {
  readonly line: number
  readonly character: number
}

class LineCutter {
  readonly #range: LineRange
  readonly #maxBytes: number
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #line = 1
  #lineStarted = false
  #skip: number
  #kept = ''
  #keptBytes = 0
  #keptLines = 0
  /** The line that is being read, without its skipped beginning. */
  #pending = ''
  #pendingBytes = 0
  #cut: Place | undefined
  #full = false

  constructor(range: LineRange, maxBytes: number) {
    this.#range = range
    this.#maxBytes = maxBytes
    this.#skip = range.charOffset
  }

  add(piece: Uint8Array): void {
    let from = 0
    // Lines that are not shown are counted, never decoded: a newline is one byte and part of nothing else.
    while (this.#line < this.#range.offset && from < piece.length) {
      from = this.#passLine(piece, from)
    }
    if (from >= piece.length) return
    if (this.#full) this.#count(piece, from)
    else this.#read(this.#decoder.decode(piece.subarray(from), { stream: true }))
  }

  finish(): LinePage {
    if (!this.#full && this.#line >= this.#range.offset) this.#read(this.#decoder.decode())
    if (this.#lineStarted) this.#endLine()
    const { offset } = this.#range
    const totalLines = this.#line - 1
    const partialLine = this.#cut !== undefined && this.#cut.character > 0
    const lines = this.#keptLines + (partialLine ? 1 : 0)
    const shown = lines === 0 ? [0, 0] : [offset, offset + lines - 1]
    const [startLine = 0, endLine = 0] = shown
    const next = this.#nextPlace(lines, totalLines)
    const { line: nextOffset, character: nextCharOffset } = next ?? { line: 0, character: 0 }
    return {
      ...{ content: this.#kept, startLine, endLine, totalLines, partialLine },
      ...{ hasMore: next !== undefined, nextOffset, nextCharOffset },
    }
  }

  #passLine(piece: Uint8Array, from: number): number {
    const found = piece.indexOf(newline, from)
    this.#lineStarted = found < 0
    if (found < 0) return piece.length
    this.#line += 1
    return found + 1
  }

  #count(piece: Uint8Array, from: number): void {
    for (let at = from; at < piece.length;) at = this.#passLine(piece, at)
  }

  #read(text: string): void {
    for (let from = 0; from < text.length;) {
      const found = text.indexOf('\n', from)
      const to = found < 0 ? text.length : found + 1
      if (!this.#full) this.#take(text.slice(from, to))
      this.#lineStarted = true
      if (found >= 0) this.#endLine()
      from = to
    }
  }

  #take(piece: string): void {
    const wanted = this.#skip > 0 ? this.#withoutSkipped(piece) : piece
    this.#pending += wanted
    this.#pendingBytes += Buffer.byteLength(wanted)
    if (this.#keptBytes + this.#pendingBytes > this.#maxBytes) this.#cutHere()
  }

  #withoutSkipped(piece: string): string {
    const body = piece.endsWith('\n') ? piece.slice(0, -1) : piece
    const at = indexAfter(body, this.#skip)
    this.#skip -= countCharacters(body.slice(0, at))
    return piece.slice(at)
  }

  /** A line that does not fit goes to the next page, unless it is the first: then it is cut. */
  #cutHere(): void {
    this.#full = true
    this.#cut = { line: this.#line, character: 0 }
    if (this.#keptLines > 0) return
    this.#kept = fittingStart(this.#pending, this.#maxBytes)
    const character = this.#range.charOffset + countCharacters(this.#kept)
    this.#cut = { line: this.#line, character }
  }

  #endLine(): void {
    if (!this.#full && this.#line >= this.#range.offset) {
      this.#kept += this.#pending
      this.#keptBytes += this.#pendingBytes
      this.#keptLines += 1
      this.#full = this.#keptLines === this.#range.limit
      // What is still to be skipped was to be skipped in the first line only.
      this.#skip = 0
    }
    this.#pending = ''
    this.#pendingBytes = 0
    this.#line += 1
    this.#lineStarted = false
  }

  #nextPlace(lines: number, totalLines: number): Place | undefined {
    if (this.#cut) return this.#cut
    const line = this.#range.offset + lines
    return lines > 0 && line <= totalLines ? { line, character: 0 } : undefined
  }
}

/** Bytes of a page (S-02, S-05). */
export const pageBytes = 40 * 1024

/** Which part of a text. */
export interface PageRange {
  /** First line, 1-based. */
  readonly offset: number
  readonly limit: number
  /** Characters to skip inside the first line. */
  readonly charOffset: number
}

/** A part of a text. */
export interface Page {
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
  readonly partialLine: boolean
}

interface Place {
  readonly line: number
  readonly column: number
}

/**
 * Takes a text in pieces of any size and keeps one page of it: whole lines as long as they fit, or the part
 * that fits of a line that is too long for a page. Memory stays at one page whatever the text.
 */
export class Pager {
  readonly #range: PageRange
  #line = 1
  /** Characters of the current line seen so far. */
  #column = 0
  #kept = ''
  #keptBytes = 0
  #keptLines = 0
  #pending = ''
  #pendingBytes = 0
  #cut: Place | undefined
  #closed = false

  constructor(range: PageRange) {
    this.#range = range
  }

  push(text: string): void {
    let from = 0
    while (from < text.length) {
      const newline = text.indexOf('\n', from)
      const to = newline < 0 ? text.length : newline + 1
      this.#take(text.slice(from, to))
      if (newline >= 0) this.#endLine()
      from = to
    }
  }

  end(): Page {
    if (this.#column > 0) this.#endLine()
    const totalLines = this.#line - 1
    const partialLine = this.#cut !== undefined && this.#cut.column > 0
    const lines = this.#keptLines + (partialLine ? 1 : 0)
    const next = this.#nextPlace(lines, totalLines)
    return {
      content: this.#kept,
      startLine: lines === 0 ? 0 : this.#range.offset,
      endLine: lines === 0 ? 0 : this.#range.offset + lines - 1,
      totalLines,
      hasMore: next !== undefined,
      nextOffset: next?.line ?? 0,
      nextCharOffset: next?.column ?? 0,
      partialLine,
    }
  }

  #nextPlace(lines: number, totalLines: number): Place | undefined {
    if (this.#cut) return this.#cut
    const line = this.#range.offset + lines
    return lines > 0 && line <= totalLines ? { line, column: 0 } : undefined
  }

  #take(piece: string): void {
    const before = this.#column
    this.#column += piece.length
    if (this.#closed || this.#line < this.#range.offset) return
    const skip = this.#line === this.#range.offset ? this.#range.charOffset - before : 0
    const wanted = skip > 0 ? piece.slice(skip) : piece
    this.#pending += wanted
    this.#pendingBytes += byteLength(wanted)
    if (this.#keptBytes + this.#pendingBytes > pageBytes) this.#cutHere()
  }

  #cutHere(): void {
    this.#closed = true
    this.#cut = { line: this.#line, column: 0 }
    if (this.#keptLines > 0) return
    const fitting = fittingPrefix(this.#pending, pageBytes)
    const skipped = this.#line === this.#range.offset ? this.#range.charOffset : 0
    this.#kept = fitting
    this.#cut = { line: this.#line, column: skipped + fitting.length }
  }

  #endLine(): void {
    if (!this.#closed && this.#line >= this.#range.offset) {
      this.#kept += this.#pending
      this.#keptBytes += this.#pendingBytes
      this.#keptLines += 1
      this.#closed = this.#keptLines === this.#range.limit
    }
    this.#pending = ''
    this.#pendingBytes = 0
    this.#line += 1
    this.#column = 0
  }
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** The longest beginning that fits, never half a character. */
function fittingPrefix(text: string, maxBytes: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}

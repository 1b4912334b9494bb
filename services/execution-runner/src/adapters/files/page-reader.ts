import { type FilePage, type PageRange } from '../../workspace-files.js'

type Page = Omit<FilePage, 'binary' | 'mediaType' | 'sizeBytes' | 'encoding' | 'content'> & {
  readonly bytes: Buffer
}

const newline = 0x0a

/**
 * Cuts one page out of a UTF-8 text that comes in chunks, and counts the lines of the whole. Keeps no
 * more than the page: a file may be one line of many gigabytes.
 */
export class PageReader {
  readonly #range: PageRange
  readonly #maxBytes: number
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  /** Line that the next byte belongs to, 1-based, and whether it has one already. */
  #line = 1
  #lineStarted = false
  /** Characters still to skip in the first line. */
  #skip: number
  #skipping: boolean
  #lastLine = 0
  #shownCharacters = 0
  /** Line that did not fit, when the page is full before its last line. */
  #stoppedAt: number | undefined
  #partial = false

  constructor(range: PageRange, maxBytes: number) {
    this.#range = range
    this.#maxBytes = maxBytes
    this.#skip = range.charOffset
    this.#skipping = range.charOffset > 0
  }

  add(chunk: Buffer): void {
    let start = 0
    while (start < chunk.length) {
      const found = chunk.indexOf(newline, start)
      const end = found < 0 ? chunk.length : found + 1
      if (this.#wanted()) this.#keep(chunk.subarray(start, end))
      this.#lineStarted = found < 0
      if (found >= 0) this.#line += 1
      start = end
    }
  }

  finish(): Page {
    const totalLines = this.#lineStarted ? this.#line : this.#line - 1
    const { offset, limit, charOffset } = this.#range
    const bytes = this.#wholeCharacters()
    const nothing = this.#lastLine === 0
    const next = this.#stoppedAt ?? offset + limit
    const hasMore = this.#partial || (!nothing && next <= totalLines)
    const firstIsCut = this.#partial && this.#lastLine === offset
    return {
      bytes,
      startLine: nothing ? 0 : offset,
      endLine: this.#lastLine,
      totalLines,
      hasMore,
      nextOffset: hasMore ? next : 0,
      nextCharOffset: firstIsCut ? charOffset + this.#shownCharacters : 0,
      partialLine: this.#partial,
    }
  }

  #wanted(): boolean {
    const { offset, limit } = this.#range
    return this.#line >= offset && this.#line < offset + limit && this.#stoppedAt === undefined
  }

  #keep(part: Buffer): void {
    const rest = this.#withoutSkipped(part)
    const room = this.#maxBytes - this.#keptBytes
    if (rest.length > room) {
      this.#full(rest.subarray(0, room))
      return
    }
    this.#kept.push(Buffer.from(rest))
    this.#keptBytes += rest.length
    this.#lastLine = this.#line
  }

  /** A line that does not fit goes to the next page, unless it is the first: then it is cut. */
  #full(fitting: Buffer): void {
    this.#stoppedAt = this.#line
    if (this.#line === this.#range.offset) {
      this.#kept.push(Buffer.from(fitting))
      this.#lastLine = this.#line
      this.#partial = true
      return
    }
    this.#dropUnfinishedLine()
    this.#lastLine = this.#line - 1
  }

  /** Earlier chunks may hold the beginning of the line that does not fit. */
  #dropUnfinishedLine(): void {
    const all = Buffer.concat(this.#kept)
    this.#kept.length = 0
    this.#kept.push(all.subarray(0, all.lastIndexOf(newline) + 1))
  }

  #withoutSkipped(part: Buffer): Buffer {
    if (!this.#skipping || this.#line !== this.#range.offset) return part
    let at = 0
    // A character starts with every byte that does not continue one.
    while (at < part.length) {
      const starts = ((part[at] ?? 0) & 0xc0) !== 0x80
      if (starts && (this.#skip === 0 || part[at] === newline)) break
      if (starts) this.#skip -= 1
      at += 1
    }
    // The last character to skip may go on in the next chunk.
    if (at < part.length) this.#skipping = false
    return part.subarray(at)
  }

  #wholeCharacters(): Buffer {
    const all = Buffer.concat(this.#kept)
    const bytes = this.#partial ? withoutSplitEnd(all) : all
    this.#shownCharacters = countCharacters(bytes)
    return bytes
  }
}

function countCharacters(bytes: Buffer): number {
  let count = 0
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1
  return count
}

/** Drops the beginning of a character that goes on behind the end. */
function withoutSplitEnd(bytes: Buffer): Buffer {
  const start = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80)
  const complete = start < 0 || bytes.length - start >= lengthBy(bytes[start] ?? 0)
  return complete ? bytes : bytes.subarray(0, start)
}

/** Bytes of a character by its first one. */
function lengthBy(first: number): number {
  if (first >= 0xf0) return 4
  if (first >= 0xe0) return 3
  return first >= 0xc0 ? 2 : 1
}

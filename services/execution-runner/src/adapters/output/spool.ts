import { type FileHandle, open, rm } from 'node:fs/promises'
import { PlatformError } from '@sciencediscovery/kernel'

/** Retained bytes of one stream. */
export interface SpoolRange {
  readonly offset: number
  readonly endOffset: number
}

/**
 * The output of one stream on disk. Past the limit the middle is given up: the head stays, the tail is a
 * ring. Memory stays constant whatever is written.
 */
export class Spool implements AsyncDisposable {
  readonly #path: string
  /** Made with the first byte: most executions write little or nothing. */
  #file: FileHandle | undefined
  readonly #headLimit: number
  readonly #ringSize: number
  #total = 0
  /** Where the write that goes on will end: what it overwrites is gone already. */
  #writtenTo = 0

  constructor(path: string, maxBytes: number) {
    this.#path = path
    this.#headLimit = Math.ceil(maxBytes / 2)
    this.#ringSize = maxBytes - this.#headLimit
  }

  get totalBytes(): number {
    return this.#total
  }

  /** Bytes at the beginning that stay as they are, whatever comes. */
  get settledBytes(): number {
    return Math.min(this.#total, this.#headLimit)
  }

  /** Whether bytes in the middle were given up. */
  get hasGap(): boolean {
    return this.ranges().length > 1
  }

  async append(chunk: Buffer): Promise<void> {
    let rest = chunk
    while (rest.length > 0) {
      const { position, room } = this.#placeOf(this.#total)
      const part = rest.subarray(0, room)
      this.#writtenTo = this.#total + part.length
      await this.#writeAll(part, position)
      this.#total += part.length
      rest = rest.subarray(part.length)
    }
  }

  /** What is still there, in order: one range, or head and tail. */
  ranges(): readonly SpoolRange[] {
    const tailStart = Math.max(this.#headLimit, this.#writtenTo - this.#ringSize)
    if (tailStart === this.#headLimit || this.#total <= this.#headLimit) {
      return this.#total === 0 ? [] : [{ offset: 0, endOffset: this.#total }]
    }
    return [
      { offset: 0, endOffset: this.#headLimit },
      { offset: tailStart, endOffset: this.#total },
    ]
  }

  /** The first retained stretch from `offset` on. */
  retainedFrom(offset: number): SpoolRange | undefined {
    const range = this.ranges().find(({ endOffset }) => endOffset > offset)
    return range && { offset: Math.max(offset, range.offset), endOffset: range.endOffset }
  }

  /** All bytes of a retained stretch. */
  async readFully(offset: number, length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let read = 0; read < length;) {
      const part = await this.read(offset + read, length - read)
      if (part.length === 0) throw new PlatformError('bug', `no output at ${offset + read}`)
      parts.push(part)
      read += part.length
    }
    const [only] = parts
    return parts.length === 1 && only ? only : Buffer.concat(parts)
  }

  /** At most `length` bytes from `offset` on; none when they were overwritten meanwhile. */
  async read(offset: number, length: number): Promise<Buffer> {
    const { position, room } = this.#placeOf(offset)
    const wanted = Math.min(length, room, this.#total - offset)
    if (!this.#file || wanted <= 0) return Buffer.alloc(0)
    const { bytesRead, buffer } = await this.#file.read(
      Buffer.allocUnsafe(wanted),
      0,
      wanted,
      position,
    )
    const isThere = this.retainedFrom(offset)?.offset === offset
    return isThere ? buffer.subarray(0, bytesRead) : Buffer.alloc(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#file) return
    await this.#file.close()
    await rm(this.#path, { force: true })
  }

  #placeOf(offset: number): { readonly position: number; readonly room: number } {
    if (offset < this.#headLimit) return { position: offset, room: this.#headLimit - offset }
    const inRing = (offset - this.#headLimit) % this.#ringSize
    return { position: this.#headLimit + inRing, room: this.#ringSize - inRing }
  }

  async #writeAll(part: Buffer, position: number): Promise<void> {
    this.#file ??= await open(this.#path, 'w+', 0o600)
    for (let written = 0; written < part.length;) {
      const { bytesWritten } = await this.#file.write(
        part,
        written,
        part.length - written,
        position + written,
      )
      written += bytesWritten
    }
  }
}

/** The first and the last bytes of a stream, in constant memory. */
export class ByteWindow {
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #total = 0

  constructor(headLimit: number, tailLimit: number) {
    this.#headLimit = headLimit
    this.#tailLimit = tailLimit
  }

  get totalBytes(): number {
    return this.#total
  }

  add(chunk: Buffer): void {
    const forHead = Math.min(chunk.length, this.#headLimit - this.#head.length)
    if (forHead > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, forHead)])
    this.#total += chunk.length
    const rest = chunk.subarray(forHead)
    if (rest.length === 0) return
    const last = rest.subarray(-this.#tailLimit)
    const room = this.#tailLimit - last.length
    const kept = room === 0 ? [] : [this.#tail.subarray(-room)]
    this.#tail = Buffer.concat([...kept, last])
  }

  /** Beginning and end; they are one when nothing between them is missing. */
  parts(): { readonly head: Buffer; readonly tail: Buffer; readonly missingBytes: number } {
    const missingBytes = this.#total - this.#head.length - this.#tail.length
    return { head: this.#head, tail: this.#tail, missingBytes }
  }
}

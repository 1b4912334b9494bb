import { type Place } from './journal-format.js'

/** Places by index, 16 bytes each, so that half a million commits fit in 8 MB. */
export class Places {
  #offsets = new Float64Array(1024)
  #sizes = new Uint32Array(1024)
  #checksums = new Uint32Array(1024)
  #length = 0

  push(place: Place): void {
    if (this.#length === this.#offsets.length) this.#grow()
    this.#offsets[this.#length] = place.offset
    this.#sizes[this.#length] = place.sizeBytes
    this.#checksums[this.#length] = place.checksum
    this.#length += 1
  }

  at(index: number): Place {
    return {
      offset: this.#offsets[index] ?? 0,
      sizeBytes: this.#sizes[index] ?? 0,
      checksum: this.#checksums[index] ?? 0,
    }
  }

  #grow(): void {
    const capacity = this.#length * 2
    const [offsets, sizes, checksums] = [this.#offsets, this.#sizes, this.#checksums]
    this.#offsets = new Float64Array(capacity)
    this.#offsets.set(offsets)
    this.#sizes = new Uint32Array(capacity)
    this.#sizes.set(sizes)
    this.#checksums = new Uint32Array(capacity)
    this.#checksums.set(checksums)
  }
}

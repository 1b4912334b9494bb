import { isPlatformError } from '@sciencediscovery/kernel'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { type StoredLists } from '../projections/placed-event.js'

/** Lists that are stored as one JSON array each. */
export class BlobLists implements StoredLists {
  readonly #blobs: BlobStore

  constructor(blobs: BlobStore) {
    this.#blobs = blobs
  }

  async load(reference: { readonly digest: string }): Promise<unknown> {
    try {
      const content = await this.#blobs.get(reference.digest)
      return JSON.parse(Buffer.from(content).toString())
    } catch (error) {
      if (isPlatformError(error) && error.code === 'not_found') return undefined
      throw error
    }
  }
}

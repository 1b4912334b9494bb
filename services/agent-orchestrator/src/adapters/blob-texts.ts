import { type BlobStore } from '@sciencediscovery/blob-store'
import {
  type BlobRef,
  type StoredJson,
  cutBytes,
  maxInlineBytes,
  maxInlineItems,
} from '@sciencediscovery/run-events'
import { z } from 'zod'
import { type Texts } from '../texts.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Large texts in the blob store. */
export function createBlobTexts(blobs: BlobStore): Texts {
  const put = async (text: string, mediaType: string, count?: number): Promise<BlobRef> => {
    const { digest, sizeBytes } = await blobs.put(encoder.encode(text))
    const ref = { digest, sizeBytes, mediaType, preview: cutBytes(text.slice(0, 200), 200) }
    return count === undefined ? ref : { ...ref, count }
  }
  const get = async (ref: BlobRef): Promise<string> => decoder.decode(await blobs.get(ref.digest))
  return {
    async storeText(
      text,
      { mediaType = 'text/plain; charset=utf-8', inlineBytes = maxInlineBytes } = {},
    ) {
      // Three bytes at most per UTF-16 unit: short texts are not encoded twice.
      if (text.length * 3 <= inlineBytes || Buffer.byteLength(text) <= inlineBytes) return text
      return { blob: await put(text, mediaType) }
    },
    async storeJson(value) {
      const text = JSON.stringify(value ?? null)
      if (Buffer.byteLength(text) <= maxInlineBytes && !hasLongList(value))
        return { json: JsonSchema.parse(JSON.parse(text)) }
      return { blob: await put(text, 'application/json') }
    },
    loadText: (stored) => (typeof stored === 'string' ? Promise.resolve(stored) : get(stored.blob)),
    async loadJson(stored: StoredJson) {
      if ('json' in stored) return stored.json
      const loaded: unknown = JSON.parse(await get(stored.blob))
      return loaded
    },
    storeBytes: async (bytes) => (await blobs.put(bytes)).digest,
    loadBytes: (digest) => blobs.get(digest),
  }
}

const JsonSchema = z.json()

function hasLongList(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > maxInlineItems || value.some(hasLongList)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongList)
}

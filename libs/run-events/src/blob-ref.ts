import { z } from 'zod'

/** Content that is stored by digest, before the event that points at it (rule 6). */
export const BlobRefSchema = z.object({
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.number().int().nonnegative(),
  mediaType: z.string(),
  /** Entries, when the content is a list. */
  count: z.number().int().nonnegative().optional(),
  /** The beginning, for people: at most 200 bytes. */
  preview: z.string(),
})
export type BlobRef = z.infer<typeof BlobRefSchema>

/** A string up to 16 KiB as it is, a longer one by reference. */
export const StoredTextSchema = z.union([z.string(), z.object({ blob: BlobRefSchema })])
export type StoredText = z.infer<typeof StoredTextSchema>

/** A JSON value as it is, or by reference when it is large or a list is over 64 entries. */
export const StoredJsonSchema = z.union([
  z.object({ blob: BlobRefSchema }),
  z.object({ json: z.json() }),
])
export type StoredJson = z.infer<typeof StoredJsonSchema>

/** The longest string kept inside an event, in UTF-8 bytes. */
export const maxInlineBytes = 16 * 1024
/** The longest list kept inside an event. */
export const maxInlineItems = 64

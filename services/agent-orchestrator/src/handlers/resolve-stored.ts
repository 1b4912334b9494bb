import { BlobRefSchema } from '@sciencediscovery/run-events'
import { z } from 'zod'
import { type Texts } from '../texts.js'

const PointerSchema = z.strictObject({ blob: BlobRefSchema })
const InlineSchema = z.strictObject({ json: z.unknown() })
const ItemsSchema = z.strictObject({ items: z.array(z.unknown()) })

/** The payload with every stored text, value and list in its place: what watchers read is never a pointer. */
export async function resolveStored(texts: Texts, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((entry) => resolveStored(texts, entry)))
  if (typeof value !== 'object' || value === null) return value
  const pointer = PointerSchema.safeParse(value)
  if (pointer.success) return load(texts, pointer.data.blob)
  const inline = InlineSchema.safeParse(value)
  // What a tool answered is data as it is: nothing inside it is a pointer of ours.
  if (inline.success) return inline.data.json
  const list = ItemsSchema.safeParse(value)
  if (list.success) return list.data.items
  const entries = await Promise.all(
    Object.entries(value).map(
      async ([key, entry]) => [key, await resolveStored(texts, entry)] as const,
    ),
  )
  return Object.fromEntries(entries)
}

async function load(texts: Texts, blob: z.infer<typeof BlobRefSchema>): Promise<unknown> {
  const text = await texts.loadText({ blob })
  return blob.mediaType === 'application/json' ? JSON.parse(text) : text
}

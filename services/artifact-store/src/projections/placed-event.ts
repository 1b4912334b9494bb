import { type BlobRef } from '@sciencediscovery/run-events'
import { z } from 'zod'

/** One stored event with its place. */
export interface PlacedEvent {
  readonly projectId: string
  /** Id of the aggregate: run, workspace or artifact. */
  readonly ownerId: string
  /** 1-based, within the aggregate's stream. */
  readonly position: number
  readonly type: string
  readonly v: number
  readonly data: unknown
}

/** Lists that are too long for an event, by reference. */
export interface StoredLists {
  /** The JSON array in the blob; undefined when the blob is lost, which must not stop a view for ever. */
  load(reference: Pick<BlobRef, 'digest'>): Promise<unknown>
}

/** A list of an event, inline or by reference. */
export type ListOf<Item> = { readonly items: readonly Item[] } | { readonly blob: BlobRef }

/** All items; undefined when the blob that holds them is lost. */
export async function itemsOf<Item>(
  list: ListOf<Item>,
  schema: z.ZodType<Item>,
  lists: StoredLists,
): Promise<readonly Item[] | undefined> {
  if ('items' in list) return list.items
  const content = await lists.load(list.blob)
  return content === undefined ? undefined : z.array(schema).parse(content)
}

import { ExecutionInputSchema, FileChangeSchema } from '@sciencediscovery/run-events'
import { z } from 'zod'

/** Short lists come as they are, long ones as the JSON that becomes a blob. */
const listOf = <Item extends z.ZodType>(
  item: Item,
): z.ZodUnion<
  readonly [
    z.ZodObject<{ items: z.ZodArray<Item> }>,
    z.ZodObject<{ json: z.ZodCustom<Uint8Array>; count: z.ZodNumber }>,
  ]
> =>
  z.union([
    z.object({ items: z.array(item) }),
    z.object({ json: z.instanceof(Uint8Array), count: z.number() }),
  ])

/** What a look at a workspace found. */
export const ScanSchema = z.object({
  tree: z.string(),
  blobs: z.array(z.instanceof(Uint8Array)),
  files: z.number(),
  sizeBytes: z.number(),
  created: z.number(),
  modified: z.number(),
  deleted: z.number(),
  changes: listOf(FileChangeSchema),
  inputs: listOf(ExecutionInputSchema),
  /** Inputs that are possible and not listed. */
  possible: z.number(),
  skipped: z.object({ items: z.array(z.string()), total: z.number() }),
})

/** What the last snapshot holds at some paths. */
export const CommittedSchema = z.array(
  z.union([
    z.object({ path: z.string(), digest: z.string(), sizeBytes: z.number() }),
    z.object({ path: z.string(), error: z.string() }),
  ]),
)

/** A listing. */
export const ListingSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      sizeBytes: z.number(),
      modifiedAtMs: z.number(),
      directory: z.boolean(),
    }),
  ),
  total: z.number(),
  truncated: z.boolean(),
})

export const SizeSchema = z.object({ sizeBytes: z.number() })

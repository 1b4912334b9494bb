import { z } from 'zod'

/** Where a page of a list begins. */
export const AfterSchema = z
  .string()
  .min(1)
  .max(20_000)
  .optional()
  .describe('Only what comes behind this; to go on, send what the page before said')

/** Whether a list goes on, and what to put into the same call for the next page. */
export const ListPageSchema = z.strictObject({
  hasMore: z.boolean(),
  next: z.strictObject({ after: z.string() }).optional(),
})

/** The page of a list that ends with `last`. */
export function listPage(
  hasMore: boolean,
  last: string | undefined,
): z.input<typeof ListPageSchema> {
  return hasMore && last !== undefined ? { hasMore, next: { after: last } } : { hasMore: false }
}

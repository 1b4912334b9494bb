import { type FileEntry } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { z } from 'zod'

/** An entry of a listing as programs read it. */
export const EntrySchema = z.strictObject({
  path: z.string(),
  sizeBytes: z.int(),
  modifiedAt: z.string(),
  directory: z.boolean(),
})

/** The entry that an owner listed. */
export function toEntry({
  path,
  sizeBytes,
  modifiedAt,
  directory,
}: FileEntry): z.input<typeof EntrySchema> {
  return { path, sizeBytes: Number(sizeBytes), modifiedAt, directory }
}

/** What is said of a list while an execution runs. */
export const liveNote = '[an execution is still writing: this is live, not committed]'

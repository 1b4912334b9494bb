import { PlatformError } from '@sciencediscovery/kernel'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { z } from 'zod'

/** Path, permission bits, and for a file size and digest. The path of a directory ends with '/'. */
const EntrySchema = z.union([
  z.tuple([z.string(), z.number().int(), z.number().int(), z.string()]),
  z.tuple([z.string(), z.number().int()]),
])
export type TreeEntry = z.infer<typeof EntrySchema>

const RootSchema = z.object({
  format: z.literal(1),
  files: z.number().int(),
  sizeBytes: z.number().int(),
  chunks: z.array(z.object({ digest: z.string(), count: z.number().int() })),
})

/** The entries of a stored tree, by path; none for null, the tree of a workspace without a snapshot. */
export async function readTree(blobs: BlobStore, digest: string | null): Promise<TreeEntry[]> {
  if (digest === null) return []
  const root = RootSchema.parse(parsed(await blobs.get(digest)))
  const entries: TreeEntry[] = []
  for (const chunk of root.chunks) {
    const lines = Buffer.from(await blobs.get(chunk.digest))
      .toString('utf8')
      .split('\n')
    const before = entries.length
    for (const line of lines) if (line !== '') entries.push(EntrySchema.parse(JSON.parse(line)))
    if (entries.length - before !== chunk.count) {
      throw new PlatformError('bug', `tree chunk ${chunk.digest} has another number of entries`)
    }
  }
  return entries
}

function parsed(content: Uint8Array): unknown {
  return JSON.parse(Buffer.from(content).toString('utf8'))
}

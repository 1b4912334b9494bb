import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { pack, type Pack } from 'tar-stream'
import { type ArchiveTarget } from '../../snapshots.js'
import { readTree, type TreeEntry } from './tree.js'

/** A snapshot as a tar archive: one file after the other, as fast as the receiver takes it. */
export async function* archiveOf(
  blobs: BlobStore,
  { tree, at, signal }: ArchiveTarget,
): AsyncGenerator<Uint8Array> {
  const entries = await readTree(blobs, tree)
  const archive = pack()
  const filling = fill(archive, entries, { blobs, at, signal }).then(
    () => {
      archive.finalize()
    },
    (error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)))
    },
  )
  try {
    const pieces: AsyncIterable<unknown> = archive
    for await (const piece of pieces) if (piece instanceof Uint8Array) yield piece
  } finally {
    archive.destroy()
    await filling
  }
}

interface Filling {
  readonly blobs: BlobStore
  readonly at: Date
  readonly signal: AbortSignal
}

async function fill(
  archive: Pack,
  entries: readonly TreeEntry[],
  { blobs, at, signal }: Filling,
): Promise<void> {
  for (const [name, mode, size = 0, digest] of entries) {
    signal.throwIfAborted()
    if (digest === undefined) {
      archive.entry({ name, mode, type: 'directory', mtime: at })
      continue
    }
    const entry = archive.entry({ name, mode, size, type: 'file', mtime: at })
    await pipeline(Readable.from(blobs.read(digest)), entry, { signal })
  }
}

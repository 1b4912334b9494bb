import { chmod, chown, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BlobSource, type BlobStore } from '@sciencediscovery/blob-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { type BlobRef } from '@sciencediscovery/run-events'
import { type SnapshotOutcome } from '../../domain/workspace/commands.js'
import {
  type ObservedSnapshot,
  type RestoreTarget,
  type SnapshotStore,
  type WorkspaceSnapshots,
} from '../../snapshots.js'
import { archiveOf } from './archive.js'
import { readTree, type TreeEntry } from './tree.js'
import { CommittedSchema, ListingSchema, ScanSchema, SizeSchema } from './worker-answers.js'
import { type FoundContent, SnapshotWorker } from './worker-client.js'

const filesAtOnce = 8

/** Snapshots in the blob store, made by worker threads: one looks and hashes, one measures sizes. */
export function createSnapshotStore(blobs: BlobStore): SnapshotStore {
  const scanner = new SnapshotWorker()
  const measurer = new SnapshotWorker()
  const means = { opened: { count: 0 }, blobs, scanner, measurer }
  return {
    restore: async (target) => {
      const entries = await readTree(blobs, target.tree)
      await writeEntries(blobs, target, entries)
      return openSnapshots(means, target, { entries, trusted: true })
    },
    adopt: async (target) => {
      const entries = await readTree(blobs, target.tree)
      return openSnapshots(means, target, { entries, trusted: false })
    },
    archive: (target) => archiveOf(blobs, target),
    async [Symbol.asyncDispose]() {
      await scanner[Symbol.asyncDispose]()
      await measurer[Symbol.asyncDispose]()
    },
  }
}

interface Means {
  /** Names what a workspace is opened as: an earlier claim of it may still be closing. */
  readonly opened: { count: number }
  readonly blobs: BlobStore
  readonly scanner: SnapshotWorker
  readonly measurer: SnapshotWorker
}

interface Known {
  readonly entries: readonly TreeEntry[]
  readonly trusted: boolean
}

async function openSnapshots(
  means: Means,
  target: RestoreTarget,
  { entries, trusted }: Known,
): Promise<WorkspaceSnapshots> {
  const { blobs, scanner, measurer } = means
  const { directory: root, pool } = target
  const key = `${target.workspaceId}#${(means.opened.count += 1)}`
  const state = { tree: target.tree }
  await scanner.ask({ kind: 'open', key, root, entries, trusted })
  const scan = async (options: Readonly<Record<string, unknown>>): Promise<ObservedSnapshot> => {
    const answer = await scanner.ask(
      { kind: 'scan', key, declared: [], pool, ...options },
      (items) => storeContents(blobs, root, items),
    )
    const found = ScanSchema.parse(answer)
    if (found.blobs.length > 0) await blobs.putMany(found.blobs)
    const { tree, files, sizeBytes, created, modified, deleted } = found
    const changes = await listed(blobs, found.changes)
    const inputs = await listed(blobs, found.inputs)
    const baseTree = state.tree
    state.tree = tree
    const snapshot = { baseTree, tree, files, sizeBytes, created, modified, deleted, changes }
    const { possible: count, skipped } = found
    const possibleInputs = baseTree === null || count === 0 ? undefined : { tree: baseTree, count }
    return { snapshot, inputs, possibleInputs, skipped: skipped.total > 0 ? skipped : undefined }
  }
  const onlySnapshot = async (
    options: Readonly<Record<string, unknown>>,
  ): Promise<SnapshotOutcome> => (await scan({ withInputs: false, ...options })).snapshot
  return {
    get tree() {
      return state.tree
    },
    take: () => onlySnapshot({}),
    takePaths: (paths) => onlySnapshot({ paths }),
    observe: (declared) => scan({ withInputs: true, declared }),
    committed: async (paths, options) =>
      CommittedSchema.parse(await scanner.ask({ kind: 'committed', key, paths, ...options })),
    list: async (path, options) =>
      ListingSchema.parse(await measurer.ask({ kind: 'list', root, path, ...options })),
    sizeBytes: async () => SizeSchema.parse(await measurer.ask({ kind: 'size', root })).sizeBytes,
    async [Symbol.asyncDispose]() {
      await scanner.ask({ kind: 'close', key })
    },
  }
}

async function listed<Item>(
  blobs: BlobStore,
  list: { readonly items: Item[] } | { readonly json: Uint8Array; readonly count: number },
): Promise<{ items: Item[] } | { blob: BlobRef }> {
  if ('items' in list) return list
  const { digest, sizeBytes } = await blobs.put(list.json)
  const preview = `${list.count} entries`
  return { blob: { digest, sizeBytes, mediaType: 'application/json', count: list.count, preview } }
}

/** Stores contents and files, and gives the digest of each. */
async function storeContents(
  blobs: BlobStore,
  root: string,
  items: readonly FoundContent[],
): Promise<readonly string[]> {
  const sources = items.map((item): BlobSource =>
    'content' in item ? item.content : { path: join(root, item.path) },
  )
  const stored = await blobs.putMany(sources)
  const digests = stored.map(({ digest }) => digest)
  for (const [index, item] of items.entries()) {
    if ('content' in item || stored[index]?.sizeBytes === item.sizeBytes) continue
    throw new PlatformError('unavailable', `${item.path} changed while it was stored`)
  }
  return digests
}

/** The directory is empty and nobody but us is in it: paths can be followed as they are. */
async function writeEntries(
  blobs: BlobStore,
  { directory, uid }: RestoreTarget,
  entries: readonly TreeEntry[],
): Promise<void> {
  const own = async (path: string, mode: number): Promise<void> => {
    // What is created gets the bits that the process mask leaves.
    await chmod(path, mode)
    if (uid !== undefined) await chown(path, uid, uid)
  }
  const files: { path: string; mode: number; digest: string }[] = []
  for (const [name, mode, , digest] of entries) {
    const path = join(directory, name)
    if (digest !== undefined) files.push({ path, mode, digest })
    else {
      await mkdir(path, { recursive: true })
      await own(path, mode)
    }
  }
  const workers = Array.from({ length: filesAtOnce }, async () => {
    for (let next = files.pop(); next; next = files.pop()) {
      await mkdir(dirname(next.path), { recursive: true })
      await blobs.copyToFile(next.digest, next.path, next.mode)
      await own(next.path, next.mode)
    }
  })
  await Promise.all(workers)
}

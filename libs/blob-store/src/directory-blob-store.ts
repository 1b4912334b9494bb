import { mkdir, open, readFile, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type Digest, notFound } from '@sciencediscovery/kernel'
import { type BlobSource, type BlobStat, type BlobStore } from './blob-store.js'
import { type ByteRange, parseRange } from './byte-range.js'
import { damaged, digestOf, parseDigest, verified } from './digest.js'
import { fileErrorCode, fromFileError } from './file-errors.js'
import { chunksOf, limited, openSource, slicesOf, writeNewFile } from './files.js'
import { mapBounded } from './map-bounded.js'
import { type Staged, Staging } from './staging.js'
import { DirectorySyncs, syncDirectory, syncFileSystem } from './syncs.js'

/** Where the blobs are. */
export interface DirectoryBlobStoreOptions {
  readonly directory: string
  /** Off only for tests: without it a blob may be lost with the power. Default true. */
  readonly fsync?: boolean
}

/** A content up to this size is hashed before it is written: a known one is not written again. */
const hashFirstBytes = 1024 * 1024
/** From this many files on, one sync of the file system is cheaper than one sync each. */
const groupSyncFrom = 64
const filesAtOnce = 16

/** Opens a directory as a blob store: `<2 digits>/<digest>`, each written aside, synced and renamed. */
export async function createDirectoryBlobStore(
  options: DirectoryBlobStoreOptions,
): Promise<BlobStore> {
  const { directory, fsync = true } = options
  try {
    return new DirectoryBlobStore(directory, fsync, await Staging.open(join(directory, 'tmp')))
  } catch (error) {
    throw fromFileError(error, directory)
  }
}

class DirectoryBlobStore implements BlobStore {
  readonly #directory: string
  readonly #fsync: boolean
  readonly #staging: Staging
  readonly #syncs = new DirectorySyncs()
  readonly #shards = new Map<string, Promise<void>>()

  constructor(directory: string, fsync: boolean, staging: Staging) {
    this.#directory = directory
    this.#fsync = fsync
    this.#staging = staging
  }

  put(content: Uint8Array): Promise<BlobStat> {
    return guarded(
      'put',
      async () =>
        (await this.#knownBlob(content)) ?? this.#publish(await this.#stage(content, this.#fsync)),
    )
  }

  async putMany(sources: readonly BlobSource[]): Promise<readonly BlobStat[]> {
    if (!this.#fsync || sources.length < groupSyncFrom) {
      return mapBounded(sources, filesAtOnce, (source) =>
        source instanceof Uint8Array ? this.put(source) : this.putFile(source.path),
      )
    }
    return guarded('put', () => this.#putGroup(sources))
  }

  putStream(
    content: AsyncIterable<Uint8Array>,
    { maxBytes = Number.MAX_SAFE_INTEGER }: { readonly maxBytes?: number } = {},
  ): Promise<BlobStat> {
    return guarded('put', async () =>
      this.#publish(await this.#staging.write(limited(content, maxBytes), this.#fsync)),
    )
  }

  putFile(path: string): Promise<BlobStat> {
    return guarded(path, async () => this.#publish(await this.#stage({ path }, this.#fsync)))
  }

  get(digest: string): Promise<Uint8Array> {
    return guarded('get', async () => {
      const name = parseDigest(digest)
      const content = await readFile(this.#pathOf(name)).catch(missing(name))
      const found = digestOf(content)
      if (found !== name) throw damaged(name, found)
      return content
    })
  }

  async *read(digest: string, range: ByteRange = {}): AsyncGenerator<Uint8Array> {
    const name = parseDigest(digest)
    const { offset, length, whole } = parseRange(range)
    const handle = await open(this.#pathOf(name), 'r').catch(missing(name))
    try {
      const chunks = chunksOf(handle, offset, length === undefined ? undefined : offset + length)
      yield* whole ? verified(name, chunks) : chunks
    } catch (error) {
      throw fromFileError(error, `blob ${name}`)
    } finally {
      await handle.close()
    }
  }

  stat(digest: string): Promise<BlobStat | undefined> {
    return guarded('stat', async () => {
      const name = parseDigest(digest)
      const sizeBytes = await this.#sizeOf(name)
      return sizeBytes === undefined ? undefined : { digest: name, sizeBytes }
    })
  }

  async copyToFile(digest: string, path: string, mode: number): Promise<void> {
    await writeNewFile(path, mode, this.read(digest))
  }

  async #stage(source: BlobSource, sync: boolean): Promise<Staged> {
    if (source instanceof Uint8Array) return this.#staging.write(slicesOf(source), sync)
    const handle = await openSource(source.path)
    try {
      return await this.#staging.copy(handle, sync)
    } finally {
      await handle.close()
    }
  }

  /** The blob when it is small and stored already. */
  async #knownBlob(content: Uint8Array): Promise<BlobStat | undefined> {
    if (content.byteLength > hashFirstBytes) return undefined
    const blob = { digest: digestOf(content), sizeBytes: content.byteLength }
    if (!(await this.#refresh(blob))) return undefined
    // Whoever wrote it may not have synced its name yet, and this caller is promised that too.
    await this.#syncShard(blob.digest)
    return blob
  }

  async #publish(staged: Staged): Promise<BlobStat> {
    await this.#name(staged)
    await this.#syncShard(staged.blob.digest)
    return staged.blob
  }

  /** Stages everything, syncs once, names everything, syncs once. */
  async #putGroup(sources: readonly BlobSource[]): Promise<readonly BlobStat[]> {
    const staged: Staged[] = []
    try {
      const blobs = await mapBounded(sources, filesAtOnce, async (source) => {
        const one = await this.#stage(source, false)
        staged.push(one)
        return one.blob
      })
      await this.#syncAll(staged.map(({ path }) => path))
      await mapBounded(staged, filesAtOnce, (one) => this.#name(one))
      await this.#syncAll([...new Set(blobs.map(({ digest }) => this.#shardOf(digest)))])
      return blobs
    } catch (error) {
      await Promise.all(staged.map((one) => this.#staging.discard(one)))
      throw error
    }
  }

  async #syncAll(paths: readonly string[]): Promise<void> {
    // Opening a file for reading is enough to sync it, as it is for a directory.
    if (!(await syncFileSystem(this.#directory)))
      await mapBounded(paths, filesAtOnce, syncDirectory)
  }

  async #name(staged: Staged): Promise<void> {
    if (await this.#refresh(staged.blob)) return this.#staging.discard(staged)
    await this.#makeShard(staged.blob.digest)
    await rename(staged.path, this.#pathOf(staged.blob.digest))
  }

  /** False when the blob is not there, or not whole: then it is written again. */
  async #refresh({ digest, sizeBytes }: BlobStat): Promise<boolean> {
    if ((await this.#sizeOf(digest)) !== sizeBytes) return false
    const now = new Date()
    return utimes(this.#pathOf(digest), now, now).then(
      () => true,
      () => false,
    )
  }

  async #sizeOf(digest: string): Promise<number | undefined> {
    try {
      return (await stat(this.#pathOf(digest))).size
    } catch (error) {
      if (fileErrorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async #syncShard(digest: string): Promise<void> {
    if (this.#fsync) await this.#syncs.sync(this.#shardOf(digest))
  }

  #makeShard(digest: string): Promise<void> {
    const shard = this.#shardOf(digest)
    const made = this.#shards.get(shard) ?? this.#mkdirSynced(shard)
    this.#shards.set(shard, made)
    return made
  }

  async #mkdirSynced(shard: string): Promise<void> {
    try {
      await mkdir(shard, { recursive: true })
      if (this.#fsync) await this.#syncs.sync(this.#directory)
    } catch (error) {
      this.#shards.delete(shard)
      throw error
    }
  }

  #shardOf(digest: string): string {
    return join(this.#directory, digest.slice(0, 2))
  }

  #pathOf(digest: string): string {
    return join(this.#shardOf(digest), digest)
  }
}

function missing(digest: Digest): (error: unknown) => never {
  return (error) => {
    throw fileErrorCode(error) === 'ENOENT'
      ? notFound(`blob ${digest}`)
      : fromFileError(error, `blob ${digest}`)
  }
}

async function guarded<R>(what: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    throw fromFileError(error, what)
  }
}

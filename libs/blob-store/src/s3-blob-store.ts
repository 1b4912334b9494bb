import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isPlatformError, notFound, PlatformError } from '@sciencediscovery/kernel'
import { type BlobSource, type BlobStat, type BlobStore } from './blob-store.js'
import { type ByteRange, parseRange } from './byte-range.js'
import { damaged, digestOf, parseDigest, verified } from './digest.js'
import { fromFileError } from './file-errors.js'
import { chunksOf, hashFile, limited, openSource, writeNewFile } from './files.js'
import { mapBounded } from './map-bounded.js'
import { partsOf } from './parts.js'
import { fromS3Error } from './s3-errors.js'
import { type S3Objects, type S3Options } from './s3-objects.js'
import { Staging } from './staging.js'

/** Where the blobs are. */
export interface S3BlobStoreOptions extends S3Options {
  /** Put before each key: `sciencediscovery/blobs/`. */
  readonly prefix?: string
  /** Where a stream larger than one part waits until its digest is known. Default below the system's own. */
  readonly spoolDirectory?: string
  /** Content up to this size is one request; larger content goes in parts of it. At least 5 MiB. Default 8 MiB. */
  readonly partBytes?: number
}

/** A blob store that holds connections. */
export type S3BlobStore = BlobStore & Disposable

const mostParts = 10_000
const largestCopyBytes = 5 * 1024 ** 3
const requestsAtOnce = 8
const readAttempts = 4
const readPauseMs = 200

/** Opens a bucket as a blob store: `<prefix><2 digits>/<digest>`. */
export async function createS3BlobStore(options: S3BlobStoreOptions): Promise<S3BlobStore> {
  // Loaded when it is used: the SDK takes 40 MiB and a third of a second, also from those who keep blobs on disk.
  const { S3Objects } = await import('./s3-objects.js')
  const spool = await Staging.open(
    options.spoolDirectory ?? join(tmpdir(), 'sciencediscovery-spool'),
  )
  return new BucketBlobStore(new S3Objects(options), spool, options)
}

class BucketBlobStore implements BlobStore, Disposable {
  readonly #objects: S3Objects
  readonly #spool: Staging
  readonly #prefix: string
  readonly #partBytes: number

  constructor(
    objects: S3Objects,
    spool: Staging,
    { prefix = '', partBytes = 8 * 1024 * 1024 }: S3BlobStoreOptions,
  ) {
    this.#objects = objects
    this.#spool = spool
    this.#prefix = prefix
    this.#partBytes = partBytes
  }

  async put(content: Uint8Array): Promise<BlobStat> {
    const blob = { digest: digestOf(content), sizeBytes: content.byteLength }
    // Storing a small one again costs what asking for it costs, and refreshes its time.
    if (blob.sizeBytes <= this.#partBytes)
      await this.#objects.put(this.#keyOf(blob.digest), content, blob.digest)
    else await this.#upload(blob, () => once(content))
    return blob
  }

  putMany(sources: readonly BlobSource[]): Promise<readonly BlobStat[]> {
    return mapBounded(sources, requestsAtOnce, (source) =>
      source instanceof Uint8Array ? this.put(source) : this.putFile(source.path),
    )
  }

  async putStream(
    content: AsyncIterable<Uint8Array>,
    { maxBytes = Number.MAX_SAFE_INTEGER }: { readonly maxBytes?: number } = {},
  ): Promise<BlobStat> {
    const staged = await this.#spool
      .write(limited(content, maxBytes), false)
      .catch((error: unknown) => {
        throw fromFileError(error, 'put')
      })
    try {
      return await this.putFile(staged.path)
    } finally {
      await this.#spool.discard(staged)
    }
  }

  async putFile(path: string): Promise<BlobStat> {
    const handle = await openSource(path).catch((error: unknown) => {
      throw fromFileError(error, path)
    })
    try {
      if ((await handle.stat()).size <= this.#partBytes)
        return await this.put(await handle.readFile())
      const blob = await hashFile(handle)
      await this.#upload(blob, () => chunksOf(handle))
      return blob
    } finally {
      await handle.close()
    }
  }

  async get(digest: string): Promise<Uint8Array> {
    const name = parseDigest(digest)
    const chunks: Uint8Array[] = []
    for await (const chunk of this.#chunks(name, 0, undefined)) chunks.push(chunk)
    const content = Buffer.concat(chunks)
    const found = digestOf(content)
    if (found !== name) throw damaged(name, found)
    return content
  }

  async *read(digest: string, range: ByteRange = {}): AsyncGenerator<Uint8Array> {
    const name = parseDigest(digest)
    const { offset, length, whole } = parseRange(range)
    const chunks = this.#chunks(name, offset, length === undefined ? undefined : offset + length)
    yield* whole ? verified(name, chunks) : chunks
  }

  async stat(digest: string): Promise<BlobStat | undefined> {
    const name = parseDigest(digest)
    const sizeBytes = await this.#objects.sizeOf(this.#keyOf(name))
    return sizeBytes === undefined ? undefined : { digest: name, sizeBytes }
  }

  async copyToFile(digest: string, path: string, mode: number): Promise<void> {
    await writeNewFile(path, mode, this.read(parseDigest(digest)))
  }

  [Symbol.dispose](): void {
    this.#objects[Symbol.dispose]()
  }

  /** Uploads what is too large for one request, unless it is there: then its time is refreshed. */
  async #upload(blob: BlobStat, content: () => AsyncIterable<Uint8Array>): Promise<void> {
    const key = this.#keyOf(blob.digest)
    const isThere = (await this.#objects.sizeOf(key)) === blob.sizeBytes
    if (isThere && blob.sizeBytes <= largestCopyBytes) return this.#objects.touch(key)
    const partBytes = Math.max(this.#partBytes, Math.ceil(blob.sizeBytes / mostParts))
    await this.#objects.putParts(key, partsOf(unchanged(blob.digest, content()), partBytes))
  }

  /** The bytes of an object; a connection that breaks is taken up again where it broke. */
  async *#chunks(
    digest: string,
    offset: number,
    end: number | undefined,
  ): AsyncGenerator<Uint8Array> {
    if (offset === end && (await this.stat(digest)) === undefined) throw notFound(`blob ${digest}`)
    let at = offset
    let failures = 0
    while (end === undefined || at < end) {
      try {
        for await (const chunk of await this.#open(digest, at, end)) {
          at += chunk.byteLength
          failures = 0
          yield chunk
        }
        return
      } catch (error) {
        const known = fromS3Error(error, `blob ${digest}`)
        if (++failures >= readAttempts || !isTransient(known)) throw known
      }
      await delay(readPauseMs * failures)
    }
  }

  async #open(
    digest: string,
    offset: number,
    end: number | undefined,
  ): Promise<AsyncIterable<Uint8Array>> {
    try {
      return (await this.#objects.get(this.#keyOf(digest), { offset, end })) ?? once()
    } catch (error) {
      throw isPlatformError(error) && error.code === 'not_found'
        ? notFound(`blob ${digest}`)
        : error
    }
  }

  #keyOf(digest: string): string {
    return `${this.#prefix}${digest.slice(0, 2)}/${digest}`
  }
}

async function* once(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk)
}

/** Fails when a file that was hashed before is not the same when it is sent. */
async function* unchanged(
  digest: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* verified(digest, content)
  } catch (cause) {
    if (!isPlatformError(cause)) throw fromFileError(cause, 'put')
    throw new PlatformError('conflict', 'the file changed while it was stored', {
      cause,
      remedy: 'store it again',
    })
  }
}

function isTransient({ code }: PlatformError): boolean {
  return code === 'unavailable' || code === 'deadline'
}

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { invalid, PlatformError } from '@sciencediscovery/kernel'
import { type BlobStat } from './blob-store.js'
import { parseDigest } from './digest.js'
import { fileErrorCode, fromFileError } from './file-errors.js'

const chunkBytes = 1024 * 1024
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOATIME, O_WRONLY, O_CREAT, O_EXCL } = constants

/**
 * Opens a regular file for reading. Links are refused and a pipe does not block; the access time
 * stays as it is where the system allows it, because access times are evidence of what a program read.
 */
export async function openSource(path: string): Promise<FileHandle> {
  const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
  const handle = await open(path, flags | O_NOATIME).catch(async (error: unknown) => {
    // Only the owner of a file may read it without leaving a trace.
    if (fileErrorCode(error) === 'EPERM') return open(path, flags)
    throw error
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw invalid('path', 'is not a regular file', 'give the path of a regular file')
}

/** The bytes of an open file from `start` to before `end`, a chunk at a time. */
export async function* chunksOf(
  handle: FileHandle,
  start = 0,
  end = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - at))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Writes the stream to the file and hashes it on the way: the disk works while the hash is computed. */
export async function writeHashed(
  handle: FileHandle,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<BlobStat> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of content) {
    const writing = handle.writeFile(chunk)
    hash.update(chunk)
    await writing
    sizeBytes += chunk.byteLength
  }
  return { digest: parseDigest(hash.digest('hex')), sizeBytes }
}

/** The digest and size of an open file. */
export async function hashFile(handle: FileHandle): Promise<BlobStat> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of chunksOf(handle)) {
    hash.update(chunk)
    sizeBytes += chunk.byteLength
  }
  return { digest: parseDigest(hash.digest('hex')), sizeBytes }
}

/** Makes a file that must not exist, with exactly this mode; takes it away again when the stream fails. */
export async function writeNewFile(
  path: string,
  mode: number,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600).catch(
    (error: unknown) => {
      throw fromFileError(error, path)
    },
  )
  try {
    for await (const chunk of content) await handle.writeFile(chunk)
    await handle.chmod(mode)
  } catch (error) {
    await unlink(path)
    throw fromFileError(error, path)
  } finally {
    await handle.close()
  }
}

/** Slices of the bytes, so that hashing a large buffer does not hold the process up. */
export function* slicesOf(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.byteLength; at += chunkBytes)
    yield content.subarray(at, at + chunkBytes)
}

/** Passes the stream on; throws `exhausted` once it is longer than allowed. */
export async function* limited(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

function tooLarge(maxBytes: number): PlatformError {
  return new PlatformError('exhausted', `the content is larger than ${maxBytes} bytes`, {
    reason: 'too_large',
    remedy: `send at most ${maxBytes} bytes`,
  })
}

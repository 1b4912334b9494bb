/** Hashing files, and sending to the main thread what is not stored yet. */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Our own reads leave no access time. */
const noAccessTime = 0o1000000
/** Contents up to this size travel to the main thread, larger ones are read there again as a stream. */
const inlineBytes = 1024 * 1024
const batchBytes = 16 * 1024 * 1024

/** Stands for a digest that the store will tell. */
const pendingDigest = ''

const acknowledgements = new Map()
const buffer = Buffer.allocUnsafe(inlineBytes)

/** The main thread stored a batch, and tells the digests of its files: the scan goes on. */
export function acknowledge(id, digests) {
  acknowledgements.get(id)?.(digests)
}

/**
 * Hashes the file; content that the last snapshot did not have there goes to the store. A large file that
 * is new goes there unread: storing it hashes it anyway. Its digest is known after the next flush.
 */
export async function digestOf({ full, known, path, outgoing }) {
  let file
  try {
    file = openQuietly(full)
  } catch {
    return null
  }
  try {
    const size = fstatSync(file).size
    if (size <= inlineBytes) return await digestOfSmall({ file, size, known, outgoing })
    if (known?.size !== size) {
      await send(outgoing, { path, sizeBytes: size })
      return pendingDigest
    }
    const hash = createHash('sha256')
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read))
    const digest = hash.digest('hex')
    if (digest !== known.digest) await send(outgoing, { path, sizeBytes: size })
    return digest
  } finally {
    closeSync(file)
  }
}

async function digestOfSmall({ file, size, known, outgoing }) {
  const content = readUpTo(file, size)
  const digest = createHash('sha256').update(content).digest('hex')
  if (digest !== known?.digest) await send(outgoing, { digest, content: new Uint8Array(content) })
  return digest
}

/** The main thread stores the batch before the next one is read: memory stays bounded. */
export async function flush(outgoing) {
  if (outgoing.batch.length === 0) return
  const { batch } = outgoing
  const stored = new Promise((resolve) => acknowledgements.set(outgoing.id, resolve))
  const transfer = outgoing.batch.flatMap(({ content }) => (content ? [content.buffer] : []))
  parentPort.postMessage({ kind: 'contents', id: outgoing.id, items: outgoing.batch }, transfer)
  outgoing.batch = []
  outgoing.bytes = 0
  const digests = await stored
  for (const [index, { path }] of batch.entries())
    if (path !== undefined) outgoing.unhashed.set(path, digests[index])
  acknowledgements.delete(outgoing.id)
}

function openQuietly(full) {
  try {
    return openSync(full, readFlags | noAccessTime)
  } catch (error) {
    if (error.code !== 'EPERM') throw error
    return openSync(full, readFlags)
  }
}

function readUpTo(file, size) {
  let length = 0
  while (length < size) {
    const read = readSync(file, buffer, length, size - length, null)
    if (read === 0) break
    length += read
  }
  return buffer.subarray(0, length)
}

async function send(outgoing, item) {
  outgoing.batch.push(item)
  outgoing.bytes += item.content?.byteLength ?? 0
  if (outgoing.bytes >= batchBytes || outgoing.batch.length >= 4096) await flush(outgoing)
}

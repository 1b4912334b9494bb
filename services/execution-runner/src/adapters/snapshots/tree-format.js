/**
 * How a snapshot is stored: entries sorted by path, cut into chunks where the hash of a path says so, and
 * a root that lists the chunks. Touching one file of ten thousand writes one chunk and the root.
 */
import { createHash } from 'node:crypto'

const averageChunk = 64
const longestChunk = 256

/** The blobs of a tree that were not stored before; `known` holds the digests of stored chunks and is brought up to date. */
export function treeBlobs(entries, known) {
  const paths = sortedPaths(entries, known)
  const chunks = []
  const blobs = []
  const current = new Set()
  let lines = []
  let files = 0
  let sizeBytes = 0
  const close = () => {
    if (lines.length === 0) return
    const content = Buffer.from(lines.join(''))
    const digest = createHash('sha256').update(content).digest('hex')
    chunks.push({ digest, count: lines.length })
    current.add(digest)
    if (!known.has(digest)) blobs.push(new Uint8Array(content))
    lines = []
  }
  for (const path of paths) {
    const entry = entries.get(path)
    const { size, digest } = entry
    lines.push((entry.line ??= lineOf(path, entry)))
    if (digest !== null) {
      files += 1
      sizeBytes += size
    }
    if (lines.length >= longestChunk || endsChunk(path)) close()
  }
  close()
  const root = Buffer.from(JSON.stringify({ format: 1, files, sizeBytes, chunks }))
  const digest = createHash('sha256').update(root).digest('hex')
  if (!known.has(digest)) blobs.push(new Uint8Array(root))
  known.clear()
  for (const one of current) known.add(one)
  known.add(digest)
  return { root: digest, blobs, files, sizeBytes }
}

/** In a line of its own; an entry that stays the same keeps it. */
function lineOf(path, { mode, size, digest }) {
  return `${JSON.stringify(digest === null ? [path, mode] : [path, mode, size, digest])}\n`
}

/** Mostly the paths of the snapshot before, which are sorted already. */
function sortedPaths(entries, known) {
  const before = known.paths
  const isSame = before?.length === entries.size && before.every((path) => entries.has(path))
  known.paths = isSame ? before : [...entries.keys()].sort()
  return known.paths
}

/** FNV-1a of the path: the same paths are cut at the same places in every snapshot. */
function endsChunk(path) {
  let hash = 0x811c9dc5
  for (let index = 0; index < path.length; index += 1)
    hash = Math.imul(hash ^ path.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % averageChunk === 0
}

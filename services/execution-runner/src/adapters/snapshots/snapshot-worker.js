/**
 * Looks at workspaces off the main thread: which files differ from the last snapshot, what their content
 * is, and which of them were read. Plain JavaScript, because Node 20 loads no TypeScript in a worker.
 */
import { lstatSync, utimesSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { acknowledge, digestOf, flush } from './file-content.js'
import { summarize } from './summary.js'
import { treeBlobs } from './tree-format.js'
import { list, sizeOf, statOf, walk } from './walk.js'

/** A change this close to the look at the file may hide behind an equal time stamp. */
const racyMs = 20
const racyBytes = 16 * 1024 * 1024

const workspaces = new Map()

parentPort.on('message', (message) => {
  const { id } = message
  if (message.kind === 'next') {
    acknowledge(id, message.digests)
    return
  }
  handle(message).then(
    (result) => parentPort.postMessage({ kind: 'done', id, result }),
    (error) => {
      const text = String(error?.message ?? error)
      parentPort.postMessage({ kind: 'failed', id, message: text, code: error?.code })
    },
  )
})

async function handle(message) {
  switch (message.kind) {
    case 'open':
      return openWorkspace(message)
    case 'scan':
      return scan(message)
    case 'list':
      return list(message)
    case 'committed':
      return committed(message)
    case 'size':
      return sizeOf(message.root)
    case 'close':
      workspaces.delete(message.key)
      return undefined
    default:
      throw new Error(`unknown message ${message.kind}`)
  }
}

/** Remembers the last snapshot; `trusted` says that the files on disk were just made from it. */
function openWorkspace({ key, root, entries, trusted }) {
  const base = new Map(
    entries.map(([path, mode, size, digest]) => [path, { mode, size, digest: digest ?? null }]),
  )
  const chunks = new Set()
  // What the last snapshot consists of is stored already.
  if (entries.length > 0) treeBlobs(base, chunks)
  workspaces.set(key, { root, base, chunks, skipped: new Map() })
  if (trusted) {
    for (const [path, entry] of base) {
      if (path.endsWith('/')) continue
      const stat = lstatSync(`${root}/${path}`)
      if (stat.atimeMs !== 0) Object.assign(entry, resetAccessTime(`${root}/${path}`, stat))
      else remember(entry, stat)
    }
  }
  return undefined
}

/** Compares the disk with the last snapshot; `paths` limits the look to what the caller itself wrote. */
async function scan({ id, key, paths, withInputs, declared, pool }) {
  const workspace = workspaces.get(key)
  if (!workspace) throw new Error(`workspace ${key} is not open`)
  const { root, base } = workspace
  const found = paths ? lookAt(root, paths, base) : walk(root)
  const seen = { read: new Set(), skipped: found.skipped ?? new Map(workspace.skipped) }
  const outgoing = { id, batch: [], bytes: 0, unhashed: new Map() }
  const next = new Map()
  for (const [path, stat] of found.entries) {
    next.set(path, await entryOf({ root, path, stat, known: base.get(path), seen, outgoing }))
  }
  await flush(outgoing)
  for (const [path, digest] of outgoing.unhashed) next.get(path).digest = digest
  const result = summarize(workspace, next, { seen, withInputs, declared, pool })
  workspace.base = next
  workspace.skipped = seen.skipped
  return result
}

/** Everything as it was, except the paths, which are looked at. Their directories may be new. */
function lookAt(root, paths, base) {
  const touched = new Set()
  for (const path of paths) {
    const parts = path.split('/')
    touched.add(path)
    for (let depth = 1; depth < parts.length; depth += 1)
      touched.add(`${parts.slice(0, depth).join('/')}/`)
  }
  const entries = []
  for (const path of base.keys()) if (!touched.has(path)) entries.push([path, undefined])
  for (const path of touched) {
    const stat = statOf(`${root}/${path}`)
    if (stat && (stat.isFile() || stat.isDirectory())) entries.push([path, stat])
  }
  return { entries }
}

async function entryOf({ root, path, stat, known, seen, outgoing }) {
  if (stat === undefined) return known
  const mode = stat.mode & 0o777
  if (path.endsWith('/')) return { mode, size: 0, digest: null }
  const full = `${root}/${path}`
  if (stat.atimeMs !== 0) seen.read.add(path)
  const isSame = isKnown(known, stat)
  // Nothing about it is new, its line in the tree included.
  if (isSame && stat.atimeMs === 0 && known.mode === mode) return known
  const digest = isSame ? known.digest : await digestOf({ full, known, path, outgoing })
  const entry = { mode, size: stat.size, digest }
  if (entry.digest === null) {
    seen.skipped.set(path, 'cannot be read')
    return undefined
  }
  return stat.atimeMs === 0
    ? remember(entry, stat)
    : Object.assign(entry, resetAccessTime(full, stat))
}

function isKnown(known, stat) {
  if (known === undefined || known.racy) return false
  const sameFile = known.ino === stat.ino && known.size === stat.size
  return sameFile && known.ctimeMs === stat.ctimeMs && known.mtimeMs === stat.mtimeMs
}

/** Setting the access time changes the change time, so the new one is what the next look must compare with. */
function resetAccessTime(full, stat) {
  try {
    utimesSync(full, 0, stat.mtimeMs / 1000)
    return remember({}, lstatSync(full))
  } catch {
    return remember({}, stat)
  }
}

function remember(entry, stat) {
  entry.ino = stat.ino
  entry.size = stat.size
  entry.mtimeMs = stat.mtimeMs
  entry.ctimeMs = stat.ctimeMs
  entry.racy = stat.size <= racyBytes && stat.ctimeMs > Date.now() - racyMs
  return entry
}

/** What the last snapshot holds at the paths, and whether that is what is on disk. */
function committed({ key, paths, asCommitted }) {
  const workspace = workspaces.get(key)
  if (!workspace) throw new Error(`workspace ${key} is not open`)
  return paths.map((path) => {
    const entry = workspace.base.get(path)
    const isKept = entry && entry.digest !== null
    if (asCommitted && isKept) return { path, digest: entry.digest, sizeBytes: entry.size }
    const stat = statOf(`${workspace.root}/${path}`)
    if (!stat) return { path, error: 'not found' }
    if (!stat.isFile()) return { path, error: 'not a regular file' }
    if (!isKept) return { path, error: 'not committed yet' }
    const same =
      entry.ino === stat.ino && entry.ctimeMs === stat.ctimeMs && entry.size === stat.size
    if (!same) return { path, error: 'changed since the last snapshot' }
    return { path, digest: entry.digest, sizeBytes: entry.size }
  })
}

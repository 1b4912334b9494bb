/**
 * Looks at workspaces off the main thread: which files differ from the last snapshot, what their content
 * is, and which of them were read. Plain JavaScript, because Node 20 loads no TypeScript in a worker.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  utimesSync,
} from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { treeBlobs } from './tree-format.js'

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Our own reads leave no access time. */
const noAccessTime = 0o1000000
/** Contents up to this size travel to the main thread, larger ones are read there again as a stream. */
const inlineBytes = 1024 * 1024
const batchBytes = 16 * 1024 * 1024
/** A change this close to the look at the file may hide behind an equal time stamp. */
const racyMs = 20
const racyBytes = 16 * 1024 * 1024
const deepest = 200
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

const workspaces = new Map()
const acknowledgements = new Map()
const buffer = Buffer.allocUnsafe(inlineBytes)

parentPort.on('message', (message) => {
  if (message.kind === 'next') {
    acknowledgements.get(message.id)?.()
    return
  }
  handle(message).then(
    (result) => parentPort.postMessage({ kind: 'done', id: message.id, result }),
    (error) =>
      parentPort.postMessage({
        kind: 'failed',
        id: message.id,
        message: String(error?.message ?? error),
        code: error?.code,
      }),
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
  workspaces.set(key, { root, base, chunks })
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
  const seen = { read: new Set(), skipped: found.skipped }
  const outgoing = { id, batch: [], bytes: 0 }
  const next = new Map()
  for (const [path, stat] of found.entries) {
    next.set(path, await entryOf({ root, path, stat, known: base.get(path), seen, outgoing }))
  }
  await flush(outgoing)
  const result = summarize(workspace, next, { seen, withInputs, declared, pool })
  workspace.base = next
  return result
}

function walk(root) {
  const state = { entries: [], skipped: 0 }
  walkInto(root, '', 0, state)
  return state
}

/** Goes down by descriptors: a directory that is exchanged for a link meanwhile leads nowhere. */
function walkInto(directory, prefix, depth, state) {
  let handle
  try {
    handle = openSync(directory, directoryFlags)
  } catch {
    return
  }
  try {
    for (const entry of listing(`/proc/self/fd/${handle}`)) {
      noteEntry({
        entry,
        at: `/proc/self/fd/${handle}/${entry.name}`,
        path: prefix + entry.name,
        depth,
        state,
      })
    }
  } finally {
    closeSync(handle)
  }
}

function noteEntry({ entry, at, path, depth, state }) {
  const stat = entry.isDirectory() || entry.isFile() ? statOf(at) : undefined
  if (!stat || entry.name.includes('\uFFFD')) {
    state.skipped += 1
  } else if (stat.isDirectory()) {
    state.entries.push([`${path}/`, stat])
    if (depth < deepest) walkInto(at, `${path}/`, depth + 1, state)
  } else if (stat.isFile()) {
    state.entries.push([path, stat])
  }
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
  return { entries, skipped: 0 }
}

async function entryOf({ root, path, stat, known, seen, outgoing }) {
  if (stat === undefined) return known
  const mode = stat.mode & 0o777
  if (path.endsWith('/')) return { mode, size: 0, digest: null }
  const full = `${root}/${path}`
  if (stat.atimeMs !== 0) seen.read.add(path)
  const unchanged =
    known?.ino === stat.ino && known.ctimeMs === stat.ctimeMs && known.size === stat.size
  const trusted = unchanged && known.mtimeMs === stat.mtimeMs && !known.racy
  const entry = {
    mode,
    size: stat.size,
    digest: trusted ? known.digest : await digestOf({ full, known, path, outgoing }),
  }
  if (entry.digest === null) {
    seen.skipped += 1
    return undefined
  }
  return stat.atimeMs === 0
    ? remember(entry, stat)
    : Object.assign(entry, resetAccessTime(full, stat))
}

/** Hashes the file; content that the last snapshot did not have there goes to the store. */
async function digestOf({ full, known, path, outgoing }) {
  let file
  try {
    file = openQuietly(full)
  } catch {
    return null
  }
  try {
    const size = fstatSync(file).size
    const hash = createHash('sha256')
    if (size <= inlineBytes) {
      const content = readUpTo(file, size)
      const digest = hash.update(content).digest('hex')
      if (digest !== known?.digest)
        await send(outgoing, { digest, content: new Uint8Array(content) })
      return digest
    }
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read))
    const digest = hash.digest('hex')
    if (digest !== known?.digest) await send(outgoing, { digest, path })
    return digest
  } finally {
    closeSync(file)
  }
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

/** The main thread stores the batch before the next one is read: memory stays bounded. */
async function flush(outgoing) {
  if (outgoing.batch.length === 0) return
  const stored = new Promise((resolve) => acknowledgements.set(outgoing.id, resolve))
  const transfer = outgoing.batch.flatMap(({ content }) => (content ? [content.buffer] : []))
  parentPort.postMessage({ kind: 'contents', id: outgoing.id, items: outgoing.batch }, transfer)
  outgoing.batch = []
  outgoing.bytes = 0
  await stored
  acknowledgements.delete(outgoing.id)
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

function summarize(workspace, next, { seen, withInputs, declared, pool }) {
  const { base } = workspace
  for (const [path, entry] of next) if (entry === undefined) next.delete(path)
  const changes = changesBetween(base, next)
  const inputs = withInputs
    ? inputsOf({ base, changed: new Set(changes.map(({ path }) => path)), seen, declared, pool })
    : []
  const { root, blobs, files, sizeBytes } = treeBlobs(next, workspace.chunks)
  return {
    ...{ tree: root, blobs, files, sizeBytes, skipped: seen.skipped },
    created: changes.filter(({ change }) => change === 'created').length,
    modified: changes.filter(({ change }) => change === 'modified').length,
    deleted: changes.filter(({ change }) => change === 'deleted').length,
    changes: listed(changes),
    inputs: listed(inputs),
  }
}

/** Short lists as they are, long ones as the JSON that becomes a blob. */
function listed(items) {
  const json = Buffer.from(JSON.stringify(items))
  return items.length <= 64 && json.byteLength <= 8192
    ? { items }
    : { json: new Uint8Array(json), count: items.length }
}

function changesBetween(base, next) {
  const changes = []
  for (const [path, { digest, size, mode }] of next) {
    if (digest === null) continue
    const before = base.get(path)
    if (before === undefined)
      changes.push({ path, change: 'created', sha256: digest, sizeBytes: size })
    else if (before.digest !== digest || before.mode !== mode) {
      changes.push({
        path,
        change: 'modified',
        sha256: digest,
        sizeBytes: size,
        previousSha256: before.digest,
      })
    }
  }
  for (const [path, { digest }] of base) {
    if (digest !== null && !next.has(path))
      changes.push({ path, change: 'deleted', previousSha256: digest })
  }
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** What the execution could have read. What it rewrote itself has lost its access time: no more than possible. */
function inputsOf({ base, changed, seen, declared, pool }) {
  const named = new Set(declared)
  const inputs = []
  for (const [path, { digest }] of base) {
    if (digest === null) continue
    const observed = seen.read.has(path) && !changed.has(path)
    const evidence = named.has(path) ? 'declared' : observed ? 'observed' : 'possible'
    inputs.push({ path, sha256: digest, evidence, runnerId: pool })
  }
  return inputs
}

/** Files below a directory, or its own entries; by path. Links are left out. */
function list({ root, path, recursive, limit }) {
  const state = { entries: [], skipped: 0 }
  const prefix = path === '' ? '' : `${path}/`
  withDirectory(root, path, (directory) => {
    walkInto(directory, prefix, recursive ? 0 : deepest + 1, state)
  })
  const wanted = state.entries.filter(([name]) => !recursive || !name.endsWith('/'))
  wanted.sort(([one], [other]) => (one < other ? -1 : 1))
  const files = wanted.slice(0, limit).map(([name, stat]) => ({
    path: name.replace(/\/$/, ''),
    sizeBytes: stat.isDirectory() ? 0 : stat.size,
    modifiedAtMs: stat.mtimeMs,
    directory: stat.isDirectory(),
  }))
  return { files, total: wanted.length }
}

/** Goes down one name at a time, following no link. */
function withDirectory(root, path, use) {
  const handles = [openSync(root, directoryFlags)]
  try {
    for (const name of path === '' ? [] : path.split('/')) {
      handles.push(openSync(`/proc/self/fd/${handles.at(-1)}/${name}`, directoryFlags))
    }
    use(`/proc/self/fd/${handles.at(-1)}/.`)
  } finally {
    for (const handle of handles) closeSync(handle)
  }
}

/** What the last snapshot holds at the paths, and whether that is what is on disk. */
function committed({ key, paths }) {
  const workspace = workspaces.get(key)
  if (!workspace) throw new Error(`workspace ${key} is not open`)
  return paths.map((path) => {
    const entry = workspace.base.get(path)
    const stat = statOf(`${workspace.root}/${path}`)
    if (!stat) return { path, error: 'not found' }
    if (!stat.isFile()) return { path, error: 'not a regular file' }
    if (!entry || entry.digest === null) return { path, error: 'not committed yet' }
    const same =
      entry.ino === stat.ino && entry.ctimeMs === stat.ctimeMs && entry.size === stat.size
    if (!same) return { path, error: 'changed since the last snapshot' }
    return { path, digest: entry.digest, sizeBytes: entry.size }
  })
}

function sizeOf(root) {
  let sizeBytes = 0
  for (const [path, stat] of walk(root).entries)
    if (!path.endsWith('/')) sizeBytes += stat.blocks * 512
  return { sizeBytes }
}

function listing(directory) {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

/** A file that vanishes while we look was not there. */
function statOf(full) {
  try {
    return lstatSync(full)
  } catch {
    return undefined
  }
}

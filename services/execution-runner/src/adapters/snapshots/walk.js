/** Looking at directories by descriptors: a directory that is exchanged for a link meanwhile leads nowhere. */
import { closeSync, constants, lstatSync, openSync, readdirSync } from 'node:fs'

const deepest = 200
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** All entries, and what a snapshot cannot hold: by escaped path, with the reason. */
export function walk(root) {
  const state = { entries: [], skipped: new Map() }
  walkInto(root, '', 0, state)
  return state
}

/** Files below a directory, or its own entries; by path, those behind `after`. Links are left out. */
export function list({ root, path, recursive, limit, after = '' }) {
  const state = { entries: [], skipped: new Map() }
  const prefix = path === '' ? '' : `${path}/`
  withDirectory(root, path, (directory) => {
    walkInto(directory, prefix, recursive ? 0 : deepest + 1, state)
  })
  const wanted = state.entries
    .filter(([name]) => !recursive || !name.endsWith('/'))
    .map(([name, stat]) => [name.replace(/\/$/, ''), stat])
  wanted.sort(([one], [other]) => (one < other ? -1 : 1))
  const left = after === '' ? wanted : wanted.filter(([name]) => name > after)
  const files = left.slice(0, limit).map(([name, stat]) => ({
    path: name,
    sizeBytes: stat.isDirectory() ? 0 : stat.size,
    modifiedAtMs: stat.mtimeMs,
    directory: stat.isDirectory(),
  }))
  return { files, total: wanted.length, truncated: left.length > files.length }
}

export function sizeOf(root) {
  let sizeBytes = 0
  for (const [path, stat] of walk(root).entries)
    if (!path.endsWith('/')) sizeBytes += stat.blocks * 512
  return { sizeBytes }
}

/** Goes down by descriptors: a directory that is exchanged for a link meanwhile leads nowhere. */
function walkInto(directory, prefix, depth, state) {
  let handle
  try {
    handle = openSync(directory, directoryFlags)
  } catch {
    state.skipped.set(prefix, 'cannot be read')
    return
  }
  try {
    const here = `/proc/self/fd/${handle}`
    const entries = listing(here)
    for (const entry of entries)
      noteEntry({ entry, at: `${here}/${entry.name}`, path: prefix + entry.name, depth, state })
    if (entries.some(({ name }) => name.includes('\uFFFD'))) noteStrangeNames(here, prefix, state)
  } finally {
    closeSync(handle)
  }
}

function noteEntry({ entry, at, path, depth, state }) {
  if (entry.isSymbolicLink()) state.skipped.set(path, 'symbolic link')
  else if (!entry.isDirectory() && !entry.isFile()) state.skipped.set(path, 'special file')
  else noteStat({ stat: statOf(at), at, path, depth, state })
}

/** What vanished meanwhile, or is named in bytes that are no text, has no stat here. */
function noteStat({ stat, at, path, depth, state }) {
  if (stat?.isDirectory()) {
    state.entries.push([`${path}/`, stat])
    if (depth < deepest) walkInto(at, `${path}/`, depth + 1, state)
    else if (depth === deepest) state.skipped.set(`${path}/`, 'too deep')
  } else if (stat?.isFile()) {
    state.entries.push([path, stat])
  }
}

/** Names are bytes; those that are no UTF-8 cannot stand in a tree, and are named by their bytes. */
function noteStrangeNames(directory, prefix, state) {
  for (const name of readdirSync(directory, { encoding: 'buffer' })) {
    if (Buffer.from(name.toString()).equals(name)) continue
    const escaped = [...name.toString('latin1')]
      .map((byte) => (byte < '\x7f' ? byte : `\\x${byte.charCodeAt(0).toString(16)}`))
      .join('')
    state.skipped.set(prefix + escaped, 'its name is not UTF-8')
  }
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

function listing(directory) {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

/** A file that vanishes while we look was not there. */
export function statOf(full) {
  try {
    return lstatSync(full)
  } catch {
    return undefined
  }
}

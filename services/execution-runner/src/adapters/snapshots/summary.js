/** What differs between two looks at a workspace, and what was read in between. */
import { treeBlobs } from './tree-format.js'

/** A list up to this length stands in the event. */
const longestList = 64
const mostNamed = 20

export function summarize(workspace, next, { seen, withInputs, declared, pool }) {
  const { base } = workspace
  for (const [path, entry] of next) if (entry === undefined) next.delete(path)
  const changes = changesBetween(base, next)
  const changed = new Set(changes.map(({ path }) => path))
  const { inputs, possible } = withInputs
    ? inputsOf({ base, changed, seen, declared, pool })
    : { inputs: [], possible: 0 }
  const { root, blobs, files, sizeBytes } = treeBlobs(next, workspace.chunks)
  return {
    ...{ tree: root, blobs, files, sizeBytes, possible },
    skipped: newlySkipped(workspace.skipped, seen.skipped),
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
  return items.length <= longestList && json.byteLength <= 8192
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

/**
 * What the execution could have read. What it rewrote itself has lost its access time: no more than
 * possible. Of a large workspace only what it named, read or changed is listed; the rest of the base
 * snapshot is a number, for its tree lists it already.
 */
function inputsOf({ base, changed, seen, declared, pool }) {
  const named = new Set(declared)
  const listsAll = base.size <= longestList
  const inputs = []
  let possible = 0
  for (const [path, { digest }] of base) {
    if (digest === null) continue
    const observed = seen.read.has(path) && !changed.has(path)
    const evidence = named.has(path) ? 'declared' : observed ? 'observed' : 'possible'
    if (listsAll || evidence !== 'possible' || changed.has(path))
      inputs.push({ path, sha256: digest, evidence, runnerId: pool })
    else possible += 1
  }
  return { inputs, possible }
}

/** What was not there at the last look: links that stay are told of once. */
function newlySkipped(before, now) {
  const items = []
  let total = 0
  for (const [path, reason] of now) {
    if (before.has(path)) continue
    total += 1
    if (items.length < mostNamed) items.push(`${path.slice(0, 500)} (${reason})`)
  }
  return { items, total }
}

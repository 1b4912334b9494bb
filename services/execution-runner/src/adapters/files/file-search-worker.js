/**
 * One search, in a thread that can be ended: globs become regular expressions, and hostile ones take for
 * ever. Plain JavaScript, because Node 20 loads no TypeScript in a worker.
 */
import { spawn } from 'node:child_process'
import { parentPort, workerData } from 'node:worker_threads'
import picomatch from 'picomatch'
import { list } from '../snapshots/walk.js'

const newline = 0x0a
const longestOutputLine = 64 * 1024
/** About what ripgrep is told to show of a line; characters of several columns make it fewer. */
const shownColumns = 400
const cutMark = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/

const search = workerData.kind === 'glob' ? glob : grep
Promise.resolve()
  .then(() => search(workerData))
  .then(
    (result) => parentPort.postMessage({ result }),
    (error) => parentPort.postMessage(error.answer ?? { failure: String(error?.message ?? error) }),
  )

function refusal(field, problem) {
  return Object.assign(new Error(problem), { answer: { field, problem } })
}

/** A pattern without '/' fits names on every level; a backslash takes the meaning of what follows (H-05). */
function matcher(field, pattern) {
  try {
    return picomatch(pattern, { dot: true, basename: !pattern.includes('/'), windows: false })
  } catch (error) {
    throw refusal(field, `is not a glob: ${error.message}`)
  }
}

function filesBelow(root, path) {
  return list({ root, path, recursive: true, limit: Infinity }).files
}

function glob({ root, path, pattern, limit, after }) {
  const fits = matcher('pattern', pattern)
  const prefix = path === '' ? 0 : path.length + 1
  const found = filesBelow(root, path).filter((file) => fits(file.path.slice(prefix)))
  const left = after === '' ? found : found.filter((file) => file.path > after)
  const files = left.slice(0, limit)
  return { files, total: found.length, truncated: left.length > files.length }
}

async function grep(task) {
  const { root, base, only, glob: pattern, maxFileBytes } = task
  const fits = pattern === '' ? () => true : matcher('glob', pattern)
  const page = new Page(task)
  const searched = run(task, (hit) => {
    if (fits(hit.path)) page.add({ ...hit, path: base + hit.path })
  })
  const large = only === null ? filesBelow(root, base.replace(/\/$/, '')) : [statOf(root, only)]
  const tooLarge = large.filter(
    (file) => file && file.sizeBytes > maxFileBytes && fits(file.path.slice(base.length)),
  )
  await searched
  return { ...page.finish(), tooLarge: tooLarge.length }
}

function statOf(root, path) {
  const at = path.lastIndexOf('/')
  const directory = at < 0 ? '' : path.slice(0, at)
  const { files } = list({ root, path: directory, recursive: false, limit: Infinity })
  return files.find((file) => file.path === path)
}

/** Keeps the first lines behind a place, by path and line, whatever order they come in. */
class Page {
  constructor({ limit, after, pageBytes }) {
    this.limit = limit
    this.after = after
    this.pageBytes = pageBytes
    this.kept = []
    this.total = 0
    this.left = 0
  }

  add(hit) {
    this.total += 1
    if (byPlace(hit, this.after) <= 0) return
    this.left += 1
    this.kept.push(hit)
    if (this.kept.length >= 4 * this.limit) this.tidy()
  }

  tidy() {
    this.kept.sort(byPlace)
    this.kept.length = Math.min(this.kept.length, this.limit)
  }

  finish() {
    this.tidy()
    let bytes = 0
    const over = this.kept.findIndex(({ path, text }) => {
      bytes += Buffer.byteLength(path) + Buffer.byteLength(text) + 16
      return bytes > this.pageBytes
    })
    const hits =
      over > 0 ? this.kept.slice(0, over) : this.kept.slice(0, over === 0 ? 1 : undefined)
    return { hits, total: this.total, truncated: this.left > hits.length }
  }
}

function byPlace(one, other) {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  return one.line - other.line
}

/** Runs ripgrep behind its wall. It says 0 for hits, 1 for none; with 2 it may only have missed some files. */
function run({ wall, uid }, onHit) {
  const [program, ...args] = wall
  const owner = uid === null ? {} : { uid, gid: uid }
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {}, ...owner })
  const lines = new Lines(onHit)
  let problem = ''
  child.stdout.on('data', (chunk) => lines.add(chunk))
  child.stderr.on('data', (chunk) => {
    if (problem.length < 4_096) problem += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0 || code === 1 || (code === 2 && problem === '')) resolve()
      else if (code === 2) reject(refusal('pattern', `is not understood: ${problem.slice(0, 500)}`))
      else reject(new Error(`the search failed: ${problem.slice(0, 500) || `exit code ${code}`}`))
    })
  })
}

/** Output lines of the form `path NUL line:column:text`; what has no NUL is a remark of the program. */
class Lines {
  constructor(onHit) {
    this.onHit = onHit
    this.parts = []
    this.bytes = 0
  }

  add(chunk) {
    for (let from = 0; from < chunk.length;) {
      const found = chunk.indexOf(newline, from)
      this.keep(chunk.subarray(from, found < 0 ? chunk.length : found))
      if (found < 0) return
      this.end()
      from = found + 1
    }
  }

  keep(part) {
    if (this.bytes > longestOutputLine) return
    this.parts.push(Buffer.from(part))
    this.bytes += part.length
  }

  end() {
    const line = Buffer.concat(this.parts).toString('utf8')
    this.parts = []
    this.bytes = 0
    const hit = /^\.\/([^\0]+)\0(\d+):(\d+):([^]*)$/.exec(line)
    if (!hit || hit[1].includes('\uFFFD')) return
    const whole = hit[4].replace(/\r$/, '')
    const cut = whole.length >= shownColumns && cutMark.test(whole)
    const text = cut ? whole.replace(cutMark, '') : whole
    this.onHit({ path: hit[1], line: Number(hit[2]), column: Number(hit[3]), text, cut })
  }
}

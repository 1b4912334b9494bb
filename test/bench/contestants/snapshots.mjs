import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { createSnapshotStore } from '../../../services/execution-runner/dist/adapters/snapshots/snapshot-store.js'
import { serve } from '../lib/serve.mjs'

const run = promisify(execFile)
const held = {}

async function timed(work) {
  const startedAt = performance.now()
  const value = await work()
  return { ms: performance.now() - startedAt, value }
}

/** So many bytes that no file system and no hash finds anything in. */
function noise(path, bytes) {
  const source = createReadStream('/dev/urandom', { end: bytes - 1, highWaterMark: 1024 ** 2 })
  return pipeline(source, createWriteStream(path))
}

const target = (directory, tree) => ({
  ...{ workspaceId: 'w', pool: 'local', uid: undefined },
  ...{ directory, tree },
})

serve({
  async prepare({ directory }) {
    held.directory = directory
    await mkdir(directory, { recursive: true })
    held.blobs = await createDirectoryBlobStore({ directory: join(directory, 'blobs') })
    held.store = createSnapshotStore(held.blobs)
  },
  /** A workspace of so many small files, a hundred in a directory, once committed. */
  async many({ files }) {
    const root = join(held.directory, `many-${files}`)
    for (let at = 0; at < files; at += 1) {
      const folder = join(root, `d${Math.floor(at / 100)}`)
      if (at % 100 === 0) await mkdir(folder, { recursive: true })
      await writeFile(join(folder, `f${at}`), `row ${at}\n`)
    }
    held.root = root
    held.snapshots = await held.store.adopt(target(root, null))
    await held.snapshots.observe([])
    // What was just written is looked at again: it might have changed within a tick of the clock.
    await held.snapshots.observe([])
    return {}
  },
  /** One file is touched, and the snapshot taken that an execution ends with. */
  async touchOne({ times }) {
    const spent = []
    for (let at = 0; at < times; at += 1) {
      await writeFile(join(held.root, 'd0', 'f7'), `touched ${performance.now()}\n`)
      spent.push((await timed(() => held.snapshots.observe([]))).ms)
    }
    spent.sort((one, other) => one - other)
    return { p50Ms: spent[Math.floor(spent.length / 2)] }
  },
  async walk() {
    return { ms: (await timed(() => run('find', [held.root, '-size', '+1000G']))).ms }
  },
  async large({ files, bytes }) {
    const root = join(held.directory, 'large')
    await mkdir(root, { recursive: true })
    for (let at = 0; at < files; at += 1) await noise(join(root, `part${at}`), bytes)
    held.large = root
    return {}
  },
  async hashLarge() {
    const names = (await readdir(held.large)).map((name) => join(held.large, name))
    return { ms: (await timed(() => run('sha256sum', names))).ms }
  },
  async takeLarge() {
    await rm(join(held.directory, 'blobs'), { recursive: true })
    await mkdir(join(held.directory, 'blobs', 'tmp'), { recursive: true })
    const blobs = await createDirectoryBlobStore({ directory: join(held.directory, 'blobs') })
    const snapshots = await createSnapshotStore(blobs).adopt(target(held.large, null))
    const { ms, value } = await timed(() => snapshots.take())
    held.tree = value.tree
    held.store = createSnapshotStore(blobs)
    return { ms }
  },
  async copyLarge() {
    const copy = join(held.directory, 'copy')
    const { ms } = await timed(() => run('cp', ['-r', held.large, copy]))
    await rm(copy, { recursive: true })
    return { ms }
  },
  async restoreLarge() {
    const directory = join(held.directory, 'restored')
    await mkdir(directory)
    const { ms } = await timed(async () => {
      const snapshots = await held.store.restore(target(directory, held.tree))
      await snapshots[Symbol.asyncDispose]()
    })
    await rm(directory, { recursive: true })
    return { ms }
  },
})

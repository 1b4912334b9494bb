import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobStat } from './blob-store.js'
import { chunksOf, hashFile, writeHashed } from './files.js'

/** A file that is written but has no name yet under which it can be found. */
export interface Staged {
  readonly path: string
  readonly blob: BlobStat
}

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = constants
const staleAfterMs = 24 * 3_600_000
/** Blobs never change; nobody may write to one by accident. */
const blobMode = 0o444

/** Where files are written before they get their name. */
export class Staging {
  readonly #directory: string
  /** File systems (by device number) from which a file cannot be cloned into this one. */
  readonly #withoutReflink = new Set<number>()

  private constructor(directory: string) {
    this.#directory = directory
  }

  /** Opens the directory and removes what crashed writers left in it long ago. */
  static async open(directory: string): Promise<Staging> {
    await mkdir(directory, { recursive: true })
    const names = await readdir(directory)
    await Promise.all(names.map((name) => removeStale(join(directory, name))))
    return new Staging(directory)
  }

  /** Writes the content to a new file. */
  async write(content: Content, sync: boolean): Promise<Staged> {
    const path = this.#newPath()
    return this.#finish(path, sync, await open(path, 'wx', blobMode), (handle) =>
      writeHashed(handle, content),
    )
  }

  /** Copies an open file, sharing its blocks where the file system can. */
  async copy(source: FileHandle, sync: boolean): Promise<Staged> {
    const { dev } = await source.stat()
    const path = this.#withoutReflink.has(dev) ? undefined : await this.#clone(source)
    if (path === undefined) {
      this.#withoutReflink.add(dev)
      return this.write(chunksOf(source), sync)
    }
    return this.#finish(path, sync, await open(path, 'r+'), async (handle) => {
      await handle.chmod(blobMode)
      return hashFile(handle)
    })
  }

  /** Takes a file away that is not needed after all. */
  async discard({ path }: Staged): Promise<void> {
    await rm(path, { force: true })
  }

  #newPath(): string {
    return join(this.#directory, randomUUID())
  }

  async #clone(source: FileHandle): Promise<string | undefined> {
    const path = this.#newPath()
    try {
      await copyFile(`/proc/self/fd/${source.fd}`, path, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE)
      return path
    } catch {
      await rm(path, { force: true })
      return undefined
    }
  }

  async #finish(
    path: string,
    sync: boolean,
    handle: FileHandle,
    fill: (handle: FileHandle) => Promise<BlobStat>,
  ): Promise<Staged> {
    try {
      const blob = await fill(handle)
      if (sync) await handle.datasync()
      return { path, blob }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await handle.close()
    }
  }
}

async function removeStale(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > staleAfterMs) await rm(path, { force: true })
  } catch {
    // Another process published or removed it in between.
  }
}

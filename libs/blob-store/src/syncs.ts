import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const syncTimeoutMs = 120_000

/** Syncs directories, one sync for everybody who asked while the last one ran. */
export class DirectorySyncs {
  readonly #running = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Promise<void>>()

  /** Resolves once a sync that began after this call is done. */
  sync(directory: string): Promise<void> {
    const running = this.#running.get(directory)
    if (running === undefined) return this.#start(directory)
    const waiting = this.#next.get(directory)
    if (waiting !== undefined) return waiting
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.#next.delete(directory)
        return this.#start(directory)
      })
    this.#next.set(directory, next)
    return next
  }

  #start(directory: string): Promise<void> {
    const syncing = syncDirectory(directory).finally(() => {
      this.#running.delete(directory)
    })
    this.#running.set(directory, syncing)
    return syncing
  }
}

/** Syncs the entries of one directory. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Syncs the whole file system that holds the directory: for many files one call is much cheaper than
 * one sync each. Node has no call for it, coreutils has. False when that is not there.
 */
export async function syncFileSystem(directory: string): Promise<boolean> {
  try {
    await run('sync', ['--file-system', directory], { timeout: syncTimeoutMs })
    return true
  } catch {
    return false
  }
}

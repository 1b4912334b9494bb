import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, readlink } from 'node:fs/promises'
import { PlatformError, notFound } from '@sciencediscovery/kernel'
import { looksOf, oddCharacters } from '../../domain/path/look-alike.js'
import { outside } from '../../domain/path/workspace-path.js'

/** O_NOATIME: our reads must not look like an execution's. */
const noAccessTime = 0o1000000
const mostLinks = 40
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** An entry, named below a directory that is held open: nobody can exchange what leads to it. */
export interface Spot {
  readonly parent: FileHandle
  /** The path to use for one system call that does not follow links. */
  readonly at: string
  /** Workspace-relative, links resolved. */
  readonly path: string
  /** undefined when there is nothing yet. */
  readonly stat: Stats | undefined
}

/** How to get to an entry. */
export interface Route {
  readonly root: string
  /** Workspace-relative and normal: no '..', no empty names. */
  readonly path: string
  /** Links inside the workspace are followed when reading and refused when writing. */
  readonly links: 'follow' | 'refuse'
  /** Makes missing directories, owned by this uid. */
  readonly make?: { readonly uid: number | undefined }
}

/**
 * Resolves a path one name at a time over open directories: a link that is planted, or exchanged
 * for a directory meanwhile, cannot lead out of the workspace.
 */
export async function withSpot<T>(route: Route, use: (spot: Spot) => Promise<T>): Promise<T> {
  const walk = new Walk(route)
  try {
    return await use(await walk.run())
  } finally {
    await walk.close()
  }
}

interface Look {
  /** The name as it is spelled on disk. */
  readonly found: string
  readonly at: string
  readonly stat: Stats | undefined
}

interface Level {
  readonly handle: FileHandle
  readonly name: string
}

class Walk {
  readonly #route: Route
  readonly #levels: Level[] = []
  #links = 0

  constructor(route: Route) {
    this.#route = route
  }

  async run(): Promise<Spot> {
    const { root, path } = this.#route
    this.#levels.push({ handle: await open(root, directoryFlags), name: '' })
    const names = path.split('/').filter((name) => name !== '')
    for (;;) {
      const name = names.shift()
      if (name === undefined) return this.#directorySpot()
      if (name === '..') {
        await this.#up()
        continue
      }
      const { found, at, stat } = await this.#look(name)
      if (stat?.isSymbolicLink()) names.unshift(...(await this.#linkTarget(at, found)))
      else if (names.length === 0) return { ...this.#below(found), at, stat }
      else await this.#down(found, at, stat)
    }
  }

  /** The entry of that name, else the one that looks like it: a name that looks taken is taken (BR-017). */
  async #look(name: string): Promise<Look> {
    const at = this.#at(name)
    const stat = await lstat(at).catch(missing)
    if (stat) return { found: name, at, stat }
    const twins = await this.#twinsOf(name)
    const [twin] = twins
    if (twin === undefined) return { found: name, at, stat: undefined }
    if (twins.length > 1) throw severalTwins(this.#below(name).path, name, twins)
    return { found: twin, at: this.#at(twin), stat: await lstat(this.#at(twin)).catch(missing) }
  }

  async #twinsOf(name: string): Promise<readonly string[]> {
    const looks = looksOf(name)
    const all = await readdir(this.#at('.')).catch(() => [])
    return all.filter((other) => looksOf(other) === looks)
  }

  async close(): Promise<void> {
    for (const { handle } of this.#levels) await handle.close()
    this.#levels.length = 0
  }

  get #top(): FileHandle {
    const last = this.#levels.at(-1)
    if (!last) throw new PlatformError('bug', 'a walk without a root')
    return last.handle
  }

  #at(name: string): string {
    return `/proc/self/fd/${this.#top.fd}/${name}`
  }

  #below(name: string): Pick<Spot, 'parent' | 'path'> {
    const names = [...this.#levels.slice(1).map((level) => level.name), name]
    return { parent: this.#top, path: names.join('/') }
  }

  /** The way ended in a directory that is open already: the root, or where a link led. */
  async #directorySpot(): Promise<Spot> {
    const path = this.#levels
      .slice(1)
      .map(({ name }) => name)
      .join('/')
    return { parent: this.#top, at: this.#at('.'), path, stat: await this.#top.stat() }
  }

  async #up(): Promise<void> {
    if (this.#levels.length === 1) throw outside('path', this.#route.path)
    await this.#levels.pop()?.handle.close()
  }

  async #down(name: string, at: string, stat: Stats | undefined): Promise<void> {
    if (!stat) await this.#make(at)
    else if (!stat.isDirectory()) throw notDirectory(this.#below(name).path)
    const handle = await open(at, directoryFlags)
    this.#levels.push({ handle, name })
    const uid = this.#route.make?.uid
    if (!stat && uid !== undefined) await handle.chown(uid, uid)
  }

  async #make(at: string): Promise<void> {
    if (!this.#route.make) throw notFound(this.#route.path)
    await mkdir(at, { mode: 0o755 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  }

  async #linkTarget(at: string, name: string): Promise<string[]> {
    const target = await readlink(at)
    const { path } = this.#below(name)
    if (this.#route.links === 'refuse') {
      throw new PlatformError('invalid', `path: ${path} is a symbolic link`, {
        field: 'path',
        reason: 'symbolic_link',
        remedy: `name the file itself: it points to ${target.slice(0, 200)}`,
      })
    }
    this.#links += 1
    if (this.#links > mostLinks)
      throw new PlatformError('invalid', `path: ${path} is a loop of links`)
    if (target === '/workspace' || target.startsWith('/workspace/')) {
      while (this.#levels.length > 1) await this.#up()
      return namesOf(target.slice('/workspace'.length))
    }
    if (target.startsWith('/')) throw outside('path', path)
    return namesOf(target)
  }
}

function severalTwins(path: string, name: string, twins: readonly string[]): PlatformError {
  const spelled = twins.map((twin) => `${JSON.stringify(twin)} (${oddCharacters(twin, name)})`)
  return new PlatformError('invalid', `path: ${path} is not there, but several look like it`, {
    field: 'path',
    reason: 'look_alike_names',
    remedy: `send one of them exactly: ${spelled.join(', ')}`,
  })
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

/** Opens a regular file for reading, without leaving a trace of it and without waiting for a pipe's writer (BR-014). */
export async function openRegular(spot: Spot): Promise<FileHandle> {
  const { at, path, stat } = spot
  if (!stat) throw notFound(path)
  if (!stat.isFile()) throw notRegular(path)
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(at, flags | noAccessTime).catch((error: unknown) => {
    if (codeOf(error) === 'EPERM') return open(at, flags)
    throw error
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw notRegular(path)
}

function notRegular(path: string): PlatformError {
  return new PlatformError('invalid', `path: ${path} is not a regular file`, {
    field: 'path',
    remedy: 'name a file; list_files shows what is there',
  })
}

export function notDirectory(path: string): PlatformError {
  return new PlatformError('invalid', `path: ${path} is not a directory`, { field: 'path' })
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function missing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

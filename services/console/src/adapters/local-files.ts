import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { invalid, isPlatformError, PlatformError } from '@sciencediscovery/kernel'
import type { LocalFiles } from '../context.js'

const pieceBytes = 256 * 1024

/** The files of this machine; `createKey` names what is written before it is whole. */
export function createLocalFiles(createKey: () => string): LocalFiles {
  return {
    async sizeOf(path, field) {
      const found = await statOf(path, field)
      if (!found) return undefined
      if (found.isFile()) return found.size
      const what = found.isDirectory() ? 'a directory' : 'not a regular file'
      throw invalid(field, `${path} is ${what}`, 'give a regular file')
    },
    read: (path) =>
      readFile(path).catch((error: unknown) => {
        throw toFileError(error, path)
      }),
    async *pieces(path) {
      try {
        const pieces: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: pieceBytes })
        yield* pieces
      } catch (error) {
        throw toFileError(error, path)
      }
    },
    async save(path, name, content) {
      const target = await targetOf(path, name)
      const part = `${target}.${createKey()}.part`
      try {
        await pipeline(content, createWriteStream(part, { flags: 'wx' }))
        await rename(part, target)
        return target
      } catch (error) {
        await rm(part, { force: true })
        throw toFileError(error, target)
      }
    },
    async saveDirectory(path, fill) {
      const target = resolve(path)
      await checkEmpty(target)
      const part = `${target}.${createKey()}.part`
      try {
        await mkdir(part)
        await fill((name, content) => addFile(part, name, content))
        await rename(part, target)
        return path
      } catch (error) {
        await rm(part, { recursive: true, force: true })
        throw toFileError(error, path)
      }
    },
  }
}

/** A rename puts a directory over an empty one, and over nothing else. */
async function checkEmpty(path: string): Promise<void> {
  const found = await statOf(path, '--output')
  const isFree = found === undefined || (found.isDirectory() && (await readdir(path)).length === 0)
  if (isFree) return
  throw new PlatformError('already_exists', `${path} is there already`, {
    field: '--output',
    remedy: 'give a directory that does not exist, or an empty one',
  })
}

async function addFile(
  directory: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  const path = join(directory, name)
  if (!path.startsWith(`${directory}${sep}`))
    throw new PlatformError('bug', `${JSON.stringify(name)} leads out of its directory`)
  await mkdir(dirname(path), { recursive: true })
  const file = createWriteStream(path, { flags: 'wx' })
  await pipeline(content, file)
  return file.bytesWritten
}

async function statOf(path: string, field: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error))) return undefined
    throw invalid(
      field,
      `${path} cannot be read (${codeOf(error)})`,
      'give a file that you may read',
    )
  }
}

/** Into a directory the artifact goes by the last part of its name. */
async function targetOf(path: string, name: string): Promise<string> {
  const found = await statOf(path, '--output')
  return found?.isDirectory() === true ? join(path, basename(name)) : path
}

function toFileError(error: unknown, path: string): Error {
  if (isPlatformError(error) || codeOf(error) === '')
    return error instanceof Error ? error : new Error(String(error))
  return new PlatformError('unavailable', `${path}: ${codeOf(error)}`, {
    remedy: 'see that the place exists, has room, and is yours to read or write',
    cause: error,
  })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}

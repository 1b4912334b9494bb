import { type Stats } from 'node:fs'
import { extname } from 'node:path'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { PlatformError, isPlatformError, notFound } from '@sciencediscovery/kernel'
import {
  type FilesPlace,
  type FileWork,
  type LocatedEntry,
  type WorkspaceFiles,
  type WrittenFile,
} from '../../workspace-files.js'
import { type FileSearch, maxSearchedFileBytes } from './file-search.js'
import { findRipgrep } from './find-ripgrep.js'
import { mediaTypeOf } from './media-type.js'
import { type Spot, notDirectory, openRegular, withSpot } from './paths.js'
import { exists, publishFile } from './publish-file.js'
import { chunksOf, readAt, readPage } from './read-page.js'
import { replaceText } from './replace-text.js'
import { sniffBytes } from '@sciencediscovery/text-page'

const chunkBytes = 256 * 1024
const maxEditBytes = 64 * 1024 * 1024
const newFileMode = 0o644

/** The files of workspaces on this disk. */
export function createDiskFiles(blobs: BlobStore, search: FileSearch): WorkspaceFiles {
  return {
    readPage: (place, path, range) =>
      withSpot(reading(place, path), async (spot) => {
        await using file = await openRegular(spot)
        return await readPage(file, spot.path, range)
      }),
    read: (place, path) => bytesOf(place, path),
    locate: (place, path) =>
      withSpot(reading(place, path), (spot) => Promise.resolve(located(spot))),
    directoryPath: (place, path) =>
      withSpot(reading(place, path), (spot) => {
        if (!spot.stat) throw notFound(path)
        if (!spot.stat.isDirectory()) throw notDirectory(path)
        return Promise.resolve(spot.path)
      }),
    mediaType: (place, path) =>
      withSpot(reading(place, path), async (spot) => {
        await using file = await openRegular(spot)
        return await mediaTypeOf(await readAt(file, 0, sniffBytes), spot.path)
      }),
    ripgrep: findRipgrep,
    maxSearchedFileBytes,
    glob: (place, order, signal) => search.glob(place, order, signal),
    grep: (place, order, signal) => search.grep(place, order, signal),
    apply: (place, work) => (work.kind === 'edit' ? edit(place, work) : write(blobs, place, work)),
  }
}

function located({ path, stat }: Spot): LocatedEntry {
  if (!stat) throw notFound(path)
  if (stat.isDirectory()) return { path, kind: 'directory' }
  return { path, kind: stat.isFile() ? 'file' : 'other' }
}

interface ReadRoute {
  readonly root: string
  readonly path: string
  readonly links: 'follow'
}

function reading({ filesDirectory }: FilesPlace, path: string): ReadRoute {
  return { root: filesDirectory, path, links: 'follow' }
}

async function* bytesOf(place: FilesPlace, path: string): AsyncGenerator<Uint8Array> {
  const file = await withSpot(reading(place, path), openRegular)
  try {
    yield* chunksOf(file, chunkBytes)
  } finally {
    await file.close()
  }
}

type Write = Extract<FileWork, { kind: 'write' }>
type Edit = Extract<FileWork, { kind: 'edit' }>

/** Tries the name, then names with a number, where both are to be kept. */
async function write(blobs: BlobStore, place: FilesPlace, work: Write): Promise<WrittenFile> {
  for (let attempt = 0; ; attempt += 1) {
    const path = attempt === 0 ? work.path : numbered(work.path, attempt)
    try {
      return { path: await writeAt(blobs, place, { ...work, path }), replacements: 0 }
    } catch (error) {
      const taken = isPlatformError(error) && error.code === 'already_exists'
      if (!taken || work.conflict !== 'rename' || attempt >= 1_000) throw error
    }
  }
}

function numbered(path: string, number: number): string {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`
}

/** Gives the path as it is on disk: a name that looks taken is the one that is taken (BR-017). */
function writeAt(blobs: BlobStore, place: FilesPlace, work: Write): Promise<string> {
  const { path, conflict, content } = work
  const route = {
    root: place.filesDirectory,
    path,
    links: 'refuse' as const,
    make: { uid: place.uid },
  }
  return withSpot(route, async (spot) => {
    const overwrite = conflict === 'overwrite'
    if (spot.stat && !overwrite) throw exists(spot.path, path)
    if (spot.stat && !spot.stat.isFile()) throw notReplaceable(path)
    await publishFile(spot, {
      ...{ place, overwrite },
      mode: modeOf(spot.stat),
      content: 'bytes' in content ? [content.bytes] : blobs.read(content.digest),
    })
    return spot.path
  })
}

function notReplaceable(path: string): PlatformError {
  return new PlatformError('invalid', `path: ${path} is not a regular file`, { field: 'path' })
}

/** What is replaced keeps its permission bits (BR-011). */
function modeOf(stat: Stats | undefined): number {
  return stat ? stat.mode & 0o777 : newFileMode
}

function edit(place: FilesPlace, work: Edit): Promise<WrittenFile> {
  const { path } = work
  const route = { root: place.filesDirectory, path, links: 'refuse' as const }
  return withSpot(route, async (spot) => {
    await using file = await openRegular(spot)
    const stat = await file.stat()
    if (stat.size > maxEditBytes) {
      throw new PlatformError('exhausted', `${path} is too large to edit: ${stat.size} bytes`, {
        remedy: 'change it with a command in the shell',
      })
    }
    const { content, replacements } = replaceText(await file.readFile(), work)
    await publishFile(spot, { place, overwrite: true, mode: modeOf(stat), content: [content] })
    return { path: spot.path, replacements }
  })
}

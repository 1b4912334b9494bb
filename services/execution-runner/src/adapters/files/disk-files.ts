import { type Stats } from 'node:fs'
import { extname } from 'node:path'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import {
  type FilesPlace,
  type FileWork,
  type WorkspaceFiles,
  type WrittenFile,
} from '../../workspace-files.js'
import { mediaTypeOf } from './media-type.js'
import { notDirectory, openRegular, withSpot } from './paths.js'
import { exists, publishFile } from './publish-file.js'
import { readAt, readPage } from './read-page.js'
import { replaceText } from './replace-text.js'
import { sniffBytes } from './text-encoding.js'

const chunkBytes = 256 * 1024
const maxEditBytes = 64 * 1024 * 1024
const newFileMode = 0o644

/** The files of workspaces on this disk. */
export function createDiskFiles(blobs: BlobStore): WorkspaceFiles {
  return {
    readPage: (place, path, range) =>
      withSpot(reading(place, path), async (spot) => {
        await using file = await openRegular(spot)
        return await readPage(file, spot.path, range)
      }),
    read: (place, path) => chunksOf(place, path),
    directoryPath: (place, path) =>
      withSpot(reading(place, path), (spot) => {
        if (!spot.stat) throw new PlatformError('not_found', `${path} not found`)
        if (!spot.stat.isDirectory()) throw notDirectory(path)
        return Promise.resolve(spot.path)
      }),
    mediaType: (place, path) =>
      withSpot(reading(place, path), async (spot) => {
        await using file = await openRegular(spot)
        return await mediaTypeOf(await readAt(file, 0, sniffBytes), spot.path)
      }),
    apply: (place, work) => (work.kind === 'edit' ? edit(place, work) : write(blobs, place, work)),
  }
}

interface ReadRoute {
  readonly root: string
  readonly path: string
  readonly links: 'follow'
}

function reading({ filesDirectory }: FilesPlace, path: string): ReadRoute {
  return { root: filesDirectory, path, links: 'follow' }
}

async function* chunksOf(place: FilesPlace, path: string): AsyncGenerator<Uint8Array> {
  const file = await withSpot(reading(place, path), openRegular)
  try {
    for (let position = 0; ;) {
      const chunk = await readAt(file, position, chunkBytes)
      if (chunk.length === 0) return
      position += chunk.length
      yield chunk
    }
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
      await writeAt(blobs, place, { ...work, path })
      return { path, replacements: 0 }
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

async function writeAt(blobs: BlobStore, place: FilesPlace, work: Write): Promise<void> {
  const { path, conflict, content } = work
  const route = {
    root: place.filesDirectory,
    path,
    links: 'refuse' as const,
    make: { uid: place.uid },
  }
  await withSpot(route, async (spot) => {
    const overwrite = conflict === 'overwrite'
    if (spot.stat && !overwrite) throw exists(path)
    if (spot.stat && !spot.stat.isFile()) throw notReplaceable(path)
    await publishFile(spot, {
      ...{ place, overwrite },
      mode: modeOf(spot.stat),
      content: 'bytes' in content ? [content.bytes] : blobs.read(content.digest),
    })
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
    return { path, replacements }
  })
}

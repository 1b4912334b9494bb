import { constants } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@sciencediscovery/kernel'
import { spellingOf } from '../../domain/path/look-alike.js'
import { type FilesPlace } from '../../workspace-files.js'
import { codeOf, type Spot } from './paths.js'

/** What is put at a spot. */
export interface Publication {
  readonly place: FilesPlace
  readonly mode: number
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  readonly overwrite: boolean
}

const noSpaceCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC

/** Written aside and moved into place: nobody ever sees half of it. */
export async function publishFile(spot: Spot, publication: Publication): Promise<void> {
  const { place, content, mode, overwrite } = publication
  const staged = join(place.stagingDirectory, 'staged-file')
  try {
    const file = await open(staged, createFlags, 0o600)
    try {
      for await (const chunk of content) await writeAll(file, chunk)
      await file.chmod(mode)
      if (place.uid !== undefined) await file.chown(place.uid, place.uid)
    } finally {
      await file.close()
    }
    if (overwrite) await rename(staged, spot.at)
    else await link(staged, spot.at)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw exists(spot.path)
    if (noSpaceCodes.has(codeOf(error))) throw noSpace(spot.path, error)
    throw error
  } finally {
    await rm(staged, { force: true })
  }
}

function noSpace(path: string, cause: unknown): PlatformError {
  return new PlatformError('exhausted', `no space for ${path}`, {
    ...{ reason: 'no_space', cause },
    remedy: 'delete what is not needed, then try again',
  })
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    done += (await file.write(chunk, done, chunk.length - done)).bytesWritten
  }
}

/** The refusal of a write that would replace something, or put its look-alike beside it. */
export function exists(path: string, asked = path): PlatformError {
  const spelling = spellingOf(path, asked)
  const what = spelling === '' ? `${path} exists` : `${path} exists: ${spelling}`
  return new PlatformError('already_exists', what, {
    field: 'path',
    remedy: 'change it with edit_file, or choose another path',
  })
}

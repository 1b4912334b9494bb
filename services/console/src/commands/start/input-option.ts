import { basename } from 'node:path/posix'
import type { LocalFiles } from '../../context.js'
import { usageError } from '../usage-error.js'

const field = '--input'

/** A file of this machine and where it goes in the workspace. */
export interface InputFile {
  readonly path: string
  readonly destination: string
}

/** Reads every `--input FILE[=DEST]`; each file is looked at before anything starts. */
export async function readInputs(
  files: LocalFiles,
  options: readonly string[],
): Promise<readonly InputFile[]> {
  const inputs: InputFile[] = []
  for (const option of options) inputs.push(await readInput(files, option))
  const seen = new Set<string>()
  for (const { destination } of inputs) {
    if (seen.has(destination)) {
      throw usageError(field, `two files go to ${destination}`, 'give each file its own =DEST')
    }
    seen.add(destination)
  }
  return inputs
}

/** Names may hold '=' themselves: the longest beginning that is a file wins. */
async function readInput(files: LocalFiles, option: string): Promise<InputFile> {
  for (let end = option.length; end > 0; end = option.lastIndexOf('=', end - 1)) {
    const path = option.slice(0, end)
    if ((await files.sizeOf(path, field)) === undefined) continue
    return {
      path,
      destination: destinationOf(path, end < option.length ? option.slice(end + 1) : undefined),
    }
  }
  const [path] = option.split('=')
  throw usageError(field, `${path ?? ''} does not exist`, 'give FILE or FILE=DEST')
}

function destinationOf(path: string, wanted: string | undefined): string {
  const name = basename(path)
  if (wanted === undefined) return name
  const destination = wanted.replace(/^(\.\/)+/, '')
  if (destination === '') throw usageError(field, `no destination after ${path}=`, 'give FILE=DEST')
  return destination.endsWith('/') ? `${destination}${name}` : destination
}

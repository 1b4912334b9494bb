import { createHash } from 'node:crypto'

const maxKeyChars = 256

/** Text that PostgreSQL takes: a NUL from a model or a file name must not stop a view. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').replace(/\p{Cs}/gu, '\uFFFD')
}

/** Text that may be part of an index: models choose call ids, of any length. */
export function storableKey(text: string): string {
  const clean = storable(text)
  return clean.length <= maxKeyChars ? clean : `${storable(clean.slice(0, 200))}#${hash(clean)}`
}

/** The file behind a path of a workspace: stays the same across edits (S-03). */
export function fileIdOf(workspaceId: string, path: string): string {
  return `file-${hash(`${workspaceId}\n${storable(path)}`)}`
}

/** A file that began at a path whose earlier file was moved away: named by its first revision. */
export function fileIdOfSuccessor(firstRevisionId: string): string {
  return `file-${hash(`successor\n${firstRevisionId}`)}`
}

/** One content of a file: what a change left at a path. */
export function revisionIdOf(effectId: string, path: string): string {
  return `rev-${hash(`${effectId}\n${storable(path)}`)}`
}

/** Finds a path in every workspace of a project. */
export function pathHashOf(path: string): string {
  return hash(storable(path))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

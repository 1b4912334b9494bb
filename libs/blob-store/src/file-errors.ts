import { type ErrorCode, isPlatformError, PlatformError } from '@sciencediscovery/kernel'

const meanings = new Map<string, { readonly code: ErrorCode; readonly remedy?: string }>([
  ['ENOENT', { code: 'not_found' }],
  ['ENOTDIR', { code: 'not_found' }],
  ['EEXIST', { code: 'already_exists' }],
  ['ELOOP', { code: 'invalid', remedy: 'give the path of a regular file, not of a symbolic link' }],
  ['EISDIR', { code: 'invalid', remedy: 'give the path of a regular file' }],
  ['ENAMETOOLONG', { code: 'invalid' }],
  ['ERR_INVALID_ARG_VALUE', { code: 'invalid' }],
  ['ENOSPC', { code: 'exhausted', remedy: 'free disk space' }],
  ['EDQUOT', { code: 'exhausted', remedy: 'free disk space' }],
  ['EMFILE', { code: 'exhausted' }],
  ['ENFILE', { code: 'exhausted' }],
  ['EACCES', { code: 'unavailable', remedy: 'check who owns the directory' }],
  ['EPERM', { code: 'unavailable', remedy: 'check who owns the directory' }],
  ['EROFS', { code: 'unavailable', remedy: 'make the directory writable' }],
  ['EIO', { code: 'unavailable', remedy: 'check the disk' }],
])

/** An error of the file system in our own terms. */
export function fromFileError(error: unknown, what: string): PlatformError {
  if (isPlatformError(error)) return error
  const code = fileErrorCode(error)
  const meaning = code === undefined ? undefined : meanings.get(code)
  if (code === undefined || meaning === undefined) {
    return new PlatformError(
      'bug',
      `${what}: ${error instanceof Error ? error.message : 'failed'}`,
      { cause: error },
    )
  }
  return new PlatformError(meaning.code, `${what}: ${code}`, {
    cause: error,
    reason: code,
    ...(meaning.remedy === undefined ? {} : { remedy: meaning.remedy }),
  })
}

/** `ENOENT` and its like; undefined for any other error. */
export function fileErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

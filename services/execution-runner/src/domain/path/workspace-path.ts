import { PlatformError, invalid } from '@sciencediscovery/kernel'

const alias = '/workspace'
const longestPath = 4_096
const longestName = 255

/**
 * The workspace-relative form of a path as a caller spells it: `./a`, `a` and `/workspace/a` are
 * one file. Whatever could mean a place outside is refused by name, before any disk is touched.
 */
export function parseWorkspacePath(field: string, text: string): string {
  if (text.includes('\0')) throw invalid(field, 'invalid path: holds NUL', 'send it without NUL')
  const relative = withoutAlias(field, text)
  const names = relative.split('/').filter((name) => name !== '' && name !== '.')
  if (names.includes('..')) throw outside(field, text)
  for (const name of names) {
    if (bytesOf(name) > longestName) throw invalid(field, 'a name in it is too long')
  }
  if (bytesOf(relative) > longestPath) throw invalid(field, 'is too long')
  return names.join('/')
}

/** The same for a file: the workspace itself is none. */
export function parseFilePath(field: string, text: string): string {
  const path = parseWorkspacePath(field, text)
  if (path === '') throw invalid(field, 'names no file', 'send a path inside the workspace')
  return path
}

function withoutAlias(field: string, text: string): string {
  if (text === alias || text.startsWith(`${alias}/`)) return text.slice(alias.length)
  if (text.startsWith('/')) throw outside(field, text)
  return text
}

/** Refuses a path that leads out. */
export function outside(field: string, path: string): PlatformError {
  const shown = JSON.stringify(path.slice(0, 200))
  const remedy = 'send a path inside the workspace, relative to its root, without ".."'
  return new PlatformError('invalid', `${field}: ${shown} is outside the workspace`, {
    ...{ field, remedy, reason: 'outside_workspace' },
  })
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

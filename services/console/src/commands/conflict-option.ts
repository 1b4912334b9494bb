import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { usageError } from './usage-error.js'

const conflicts: Readonly<Record<string, Conflict>> = {
  reject: Conflict.CONFLICT_REJECT,
  overwrite: Conflict.CONFLICT_OVERWRITE,
  rename: Conflict.CONFLICT_RENAME,
}

/** What `--conflict` says about a destination that is taken. */
export function conflictOf(choice: string): Conflict {
  const conflict = Object.hasOwn(conflicts, choice) ? conflicts[choice] : undefined
  if (conflict !== undefined) return conflict
  const known = Object.keys(conflicts).join(', ')
  throw usageError('--conflict', `"${choice}" is no choice`, `give one of ${known}`)
}

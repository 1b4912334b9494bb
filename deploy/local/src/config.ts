import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Environment } from '@sciencediscovery/service-kit'

/** The environment of this process, for the command line to read. */
export const environment: Environment = process.env

/** Where things are kept that can be made again: an empty database, ready to copy. */
export function cacheDirectoryOf(env: Environment): string {
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sciencediscovery')
}

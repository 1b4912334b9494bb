import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Environment, loadConfig } from '@sciencediscovery/service-kit'
import { z } from 'zod'

/** The environment of this process, for the command line to read. */
export const environment: Environment = process.env

/** Where things are kept that can be made again: an empty database, ready to copy. */
export function cacheDirectoryOf(env: Environment): string {
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sciencediscovery')
}

const mostPools = 16

const poolNames = z.codec(z.string(), z.array(z.string()), {
  decode: (text, context) => {
    const names = text.split(',').map((name) => name.trim())
    const areNames = names.every((name) => /^[a-z0-9]{1,32}$/.test(name))
    if (areNames && new Set(names).size === names.length && names.length <= mostPools) return names
    const message = `send 1 to ${mostPools} different names of lower-case letters and digits, separated by commas: local,gpu`
    context.issues.push({ code: 'custom', input: text, message })
    return z.NEVER
  },
  encode: (names) => names.join(','),
})

/** The runner pools of a local stack, each with a runner of its own. The first one is what agents work on unless told otherwise. */
export function loadRunnerPools(env: Environment): readonly string[] {
  const schema = z.object({ SCIENCE_DISCOVERY_RUNNER_POOLS: poolNames.prefault('local') })
  return loadConfig(schema, env).SCIENCE_DISCOVERY_RUNNER_POOLS
}

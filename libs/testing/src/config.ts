import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** True where nothing may be skipped: a missing backend fails the run. */
export const isContinuousIntegration = process.env['CI'] === 'true'

/** Folders that programs are looked for in. */
export const searchPath: readonly string[] = (process.env['PATH'] ?? '').split(':')

/** The root of the repository. */
export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** The first of the files that exists. */
export function firstExisting(...paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path))
}

/** The one seed that simulations are to replay; undefined to run them all. */
export const simulationSeed =
  process.env['SIM_SEED'] === undefined ? undefined : Number(process.env['SIM_SEED'])

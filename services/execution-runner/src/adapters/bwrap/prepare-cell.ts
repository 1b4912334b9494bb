import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SandboxCell, type SandboxPlace } from '../../sandbox.js'
import { bwrapArguments } from './bwrap-arguments.js'
import { createCell } from './cell.js'
import { type ControlGroups } from './control-groups.js'
import { createLauncher } from './launcher.js'
import { type SandboxLimits, type SandboxProfile } from './profile.js'

/** How the wall is built. */
export interface BwrapSandboxOptions {
  /** Traversable by every uid, writable by none but the runner. */
  readonly rootDirectory: string
  readonly bwrapPath: string
  readonly profile: SandboxProfile
  /** Names control groups; unique among the runners of a host. */
  readonly name: string
  /** A uid for the probe, where the runner may give one. */
  readonly probeUid: number | undefined
}

/** Everything a cell needs, found once. */
export interface WallParts {
  readonly options: BwrapSandboxOptions
  readonly groups: ControlGroups | undefined
  readonly identityDirectory: string
  readonly systemLinks: readonly { readonly path: string; readonly target: string }[]
  readonly filter: Buffer
}

/** Makes the launcher and the control group of a cell. */
export async function prepareCell(
  parts: WallParts,
  place: SandboxPlace,
  limits: SandboxLimits,
): Promise<SandboxCell> {
  const { options, groups, identityDirectory, systemLinks, filter } = parts
  const { privateDirectory: directory, uid, filesDirectory } = place
  await writeFile(join(directory, 'filter'), filter, { mode: 0o644 })
  const launcher = await createLauncher({
    ...{ bwrapPath: options.bwrapPath, directory, uid, limits },
    grouped: groups !== undefined,
  })
  try {
    const group = await groups?.create(`sciencediscovery-${options.name}-${launcher.pid}`, limits)
    await group?.add(launcher.pid)
    const sources = { filesDirectory, identityDirectory, systemLinks }
    return createCell({
      uid: uid ?? process.getuid?.() ?? 0,
      ...{ directory, launcher, group, limits },
      argumentsFor: (cwd) => bwrapArguments(options.profile, sources, cwd),
    })
  } catch (error) {
    await launcher.stop()
    throw error
  }
}

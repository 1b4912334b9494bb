import { lstat, mkdir, readlink, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@sciencediscovery/kernel'
import { type Sandbox, type SandboxFinding } from '../../sandbox.js'
import { identityFiles } from './bwrap-arguments.js'
import { findControlGroups } from './control-groups.js'
import { findBwrap, versionFinding } from './find-bwrap.js'
import { type BwrapSandboxOptions, prepareCell, type WallParts } from './prepare-cell.js'
import { probeSandbox } from './probe.js'
import { seccompFilter } from './seccomp-filter.js'

/** Builds the wall and tries each of its parts. Does not throw for a missing part: `prepare` does, naming it. */
export async function createBwrapSandbox(options: BwrapSandboxOptions): Promise<Sandbox> {
  const found = await findBwrap(options.bwrapPath)
  if (!found.holds) return refusing([found])
  const parts = await collectParts(options)
  const probed = await probeSandbox(parts)
  const findings = [found, versionFinding(found.message), ...probed]
  const missing = findings.find((finding) => finding.required && !finding.holds)
  if (missing) return refusing(findings)
  return {
    findings,
    description: describeWall(probed),
    prepare: (place) => prepareCell(parts, place, options.profile.limits),
  }
}

function refusing(findings: readonly SandboxFinding[]): Sandbox {
  const missing = findings.filter(({ required, holds }) => required && !holds)
  const message = missing.map(({ part, message: what }) => `${part}: ${what}`).join('; ')
  return {
    findings,
    description: `none: ${message}`,
    prepare: () =>
      Promise.reject(
        new PlatformError('unavailable', `no sandbox, so nothing is executed: ${message}`, {
          reason: 'sandbox_incomplete',
          remedy: missing[0]?.remedy ?? '',
        }),
      ),
  }
}

function describeWall(findings: readonly SandboxFinding[]): string {
  const reduced = findings.filter(({ holds }) => !holds).map(({ part }) => part)
  return reduced.length === 0 ? 'bwrap' : `bwrap, without ${reduced.join(', ')}`
}

async function collectParts(options: BwrapSandboxOptions): Promise<WallParts> {
  const identityDirectory = join(options.rootDirectory, 'identity')
  await mkdir(identityDirectory, { recursive: true, mode: 0o755 })
  for (const name of identityFiles) {
    await writeFile(join(identityDirectory, name), identities[name], { mode: 0o644 })
  }
  for (const path of options.profile.systemDirectories) await stat(path)
  return {
    options,
    groups: await findControlGroups(),
    identityDirectory,
    systemLinks: await findSystemLinks(),
    filter: seccompFilter(process.arch),
  }
}

const identities = {
  passwd:
    'root:x:0:0:root:/root:/usr/sbin/nologin\nscientist:x:1000:1000::/home/scientist:/bin/bash\n' +
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  group: 'root:x:0:\nscientist:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
} as const

async function findSystemLinks(): Promise<{ path: string; target: string }[]> {
  const links: { path: string; target: string }[] = []
  for (const path of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
    const entry = await lstat(path).catch(() => undefined)
    if (entry?.isSymbolicLink()) links.push({ path, target: await readlink(path) })
  }
  return links
}

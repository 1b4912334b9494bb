import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type SandboxFinding } from '../../sandbox.js'

const run = promisify(execFile)
const setuidBit = 0o4000

/** Whether bubblewrap is there, is not setuid (CVE-2026-41163), and is new enough. */
export async function findBwrap(path: string): Promise<SandboxFinding> {
  const finding = { part: 'bubblewrap', required: true }
  const remedy = 'apt-get install bubblewrap, or point SCIENCE_AGENT_BWRAP_PATH at it'
  const file = await stat(path).catch(() => undefined)
  if (!file?.isFile()) return { ...finding, holds: false, message: `${path} is missing`, remedy }
  if ((file.mode & setuidBit) !== 0) {
    const message = `${path} is setuid`
    return { ...finding, holds: false, message, remedy: `chmod u-s ${path}` }
  }
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 5_000 })
    return { ...finding, holds: true, message: stdout.trim(), remedy: '' }
  } catch {
    return { ...finding, holds: false, message: `${path} does not run`, remedy }
  }
}

/**
 * Versions below 0.12 follow a symbolic link in a bound directory while they build the sandbox
 * (CVE-2026-87766). Nothing is made or mounted below a path that an agent can write here, which
 * takes the way to it; a newer one takes the fault.
 */
export function versionFinding(version: string): SandboxFinding {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version) ?? []
  const holds = Number(major) > 0 || Number(minor) >= 12
  const finding = { part: 'bubblewrap version', required: false, holds }
  if (holds) return { ...finding, message: version, remedy: '' }
  const message = `${version} has CVE-2026-87766; the profile avoids what it needs`
  return { ...finding, message, remedy: 'install bubblewrap 0.12 or later (Debian 13 has it)' }
}

import { mkdir, rm, writeFile, chown, chmod, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type SandboxExit, type SandboxFinding } from '../../sandbox.js'
import { prepareCell, type WallParts } from './prepare-cell.js'
import { type SandboxLimits } from './profile.js'

const MiB = 1024 * 1024

/** Tight, so that exceeding them costs nothing. */
const probeLimits: SandboxLimits = {
  memoryBytes: 32 * MiB,
  processes: 12,
  fileBytes: MiB,
  openFiles: 256,
  cpuSeconds: null,
}

/**
 * One line per part that holds; then the limits are exceeded one after the other. Past the process
 * limit bash sleeps and tries again, so from there on only builtins are used.
 */
const wallsScript = `
set -- /proc/[0-9]*
[ $# -le 6 ] && [ -r /proc/self/status ] && echo procfs
mapfile -t devices </proc/net/dev
[ \${#devices[@]} -le 3 ] && [[ "\${devices[2]- lo:}" == *' lo:'* ]] && ! (exec 3<>/dev/tcp/1.1.1.1/53) && echo network
! unshare -U true && echo userns
mapfile -t status </proc/self/status
[[ "\${status[*]}" == *$'CapEff:\\t0000000000000000'* ]] && echo capabilities
[[ "\${status[*]}" == *$'Seccomp:\\t2'* ]] && echo seccomp
! : >/usr/probe && ! : >/probe && ! : >/etc/probe && echo system
known=' PATH HOME USER LOGNAME SHELL LANG TMPDIR PYTHONNOUSERSITE SCIENCEDISCOVERY_WORKSPACE PWD OLDPWD SHLVL _ '
strange=
for name in $(compgen -e); do [[ "$known" == *" $name "* ]] || strange="$strange $name"; done
[ -z "$strange" ] && echo environment
[ $UID != 0 ] && : >/tmp/probe && : >"$HOME/probe" && : >/workspace/probe && echo private
read seen <seen
head -c 4194304 /dev/zero >large
[ $? = 153 ] && echo filesize
mkfifo /tmp/pause
(for n in {1..64}; do sleep 5 & done) 2>/tmp/forks &
for n in {1..50}; do [ -s /tmp/forks ] && echo processes && break; read -t 0.05 <>/tmp/pause; done
echo end
kill -9 -1
`
const memoryScript = 'set -o pipefail; head -c 134217728 /dev/zero | tail -c 134217728 | wc -c'

interface Part {
  readonly required: boolean
  readonly what: string
  readonly remedy: string
}

const kernel = 'use a kernel and a container that allow unprivileged user namespaces'
const parts: Readonly<Record<string, Part>> = {
  procfs: { required: true, what: 'own process table', remedy: kernel },
  network: { required: true, what: 'no network', remedy: kernel },
  userns: { required: true, what: 'no nested user namespaces', remedy: kernel },
  capabilities: { required: true, what: 'no capabilities', remedy: kernel },
  seccomp: { required: true, what: 'system call filter', remedy: 'use a kernel with seccomp' },
  system: { required: true, what: 'read-only system', remedy: kernel },
  environment: { required: true, what: 'empty environment', remedy: 'report this as a fault' },
  private: { required: true, what: 'private home and tmp', remedy: kernel },
  filesize: { required: true, what: 'file size limit', remedy: 'do not run the runner as root' },
  processes: {
    required: true,
    what: 'process limit',
    remedy: 'make the pids control group writable',
  },
}

/** Tries every part of the wall by doing what it must prevent. */
export async function probeSandbox(wall: WallParts): Promise<SandboxFinding[]> {
  const directory = join(wall.options.rootDirectory, `probe-${process.pid}`)
  try {
    return await probeIn(wall, directory)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return [{ part: 'probe', holds: false, required: true, message, remedy: kernel }]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function probeIn(wall: WallParts, directory: string): Promise<SandboxFinding[]> {
  const uid = wall.options.probeUid
  const filesDirectory = join(directory, 'files')
  const privateDirectory = join(directory, 'private')
  for (const path of [directory, filesDirectory, privateDirectory]) {
    await mkdir(path, { recursive: true })
    await chmod(path, 0o755)
  }
  const seen = join(filesDirectory, 'seen')
  await writeFile(seen, 'seen\n')
  const written = await stat(seen)
  await utimes(seen, 0, written.mtime)
  if (uid !== undefined) await chown(filesDirectory, uid, uid)
  const place = { filesDirectory, privateDirectory, uid }
  await using cell = await prepareCell(wall, place, probeLimits)
  const run = async (script: string): Promise<SandboxExit & { readonly output: string }> => {
    const process = cell.start({ argv: ['/bin/bash', '-c', script], cwd: '' })
    const timer = setTimeout(process.kill, 10_000)
    const [output, , exit] = await Promise.all([
      text(process.stdout),
      text(process.stderr),
      process.exited,
    ])
    clearTimeout(timer)
    return { ...exit, output }
  }
  const walls = await run(wallsScript)
  const held = new Set(walls.output.split('\n'))
  if (!held.has('end')) return [await probeFailed(walls)]
  const memory = await run(memoryScript)
  const { atimeMs } = await stat(seen)
  return [
    ...Object.entries(parts).map(([part, { required, what, remedy }]) => ({
      ...{ part, required, holds: held.has(part) },
      message: held.has(part) ? what : `${what} does not hold`,
      remedy: held.has(part) ? '' : remedy,
    })),
    memoryFinding(memory),
    uidFinding(uid),
    atimeFinding(atimeMs > 0),
  ]
}

function probeFailed({ exitCode, reason }: SandboxExit): Promise<SandboxFinding> {
  const message = `the probe did not run to its end: exit code ${exitCode} ${reason}`.trim()
  return Promise.resolve({ part: 'probe', holds: false, required: true, message, remedy: kernel })
}

function memoryFinding({ exitCode }: SandboxExit): SandboxFinding {
  const holds = exitCode !== 0
  return {
    ...{ part: 'memory', required: true, holds },
    message: holds ? 'memory limit' : 'memory limit does not hold',
    remedy: holds ? '' : 'make the memory control group writable, or do not run the runner as root',
  }
}

function uidFinding(uid: number | undefined): SandboxFinding {
  const holds = uid !== undefined
  return {
    ...{ part: 'uid', required: process.getuid?.() === 0, holds },
    message: holds
      ? 'own host uid per workspace'
      : 'all executions share the host uid of the runner',
    remedy: holds
      ? ''
      : 'run the runner as root in a container, so that it may give each workspace a uid',
  }
}

function atimeFinding(holds: boolean): SandboxFinding {
  return {
    ...{ part: 'atime', required: false, holds },
    message: holds ? 'access times show what was read' : 'the mount keeps no access times',
    remedy: holds ? '' : 'mount the workspace directory with relatime to observe inputs',
  }
}

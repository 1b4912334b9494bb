import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PlatformError } from '@sciencediscovery/kernel'
import { launcherScript, preludeScript } from './launcher-script.js'
import { type SandboxLimits } from './profile.js'

/** What the launcher tells of one start, in this order. */
export interface LauncherEvents {
  /** The first process of the sandbox, as the host numbers it. */
  onBorn(pid: number): void
  onExitCode(code: number): void
  /** bubblewrap ended; without an exit code before, the program never ran or was killed with the sandbox. */
  onGone(status: number): void
  /** The launcher itself died. */
  onLost(): void
}

/** What a launcher is made for. */
export interface LauncherOptions {
  readonly bwrapPath: string
  readonly directory: string
  readonly uid: number | undefined
  readonly limits: SandboxLimits
  /** Whether a control group bounds memory and processes; else resource limits do. */
  readonly grouped: boolean
}

/** The small shell that starts sandboxes of one cell. */
export interface Launcher {
  readonly pid: number
  /** Starts what `argv` and `args` say. One at a time. */
  start(events: LauncherEvents): void
  stop(): Promise<void>
}

/** Starts a launcher; it needs `filter` in its directory. */
export async function createLauncher(options: LauncherOptions): Promise<Launcher> {
  const { directory, uid } = options
  const command = [
    ...['setpriv', '--pdeathsig', 'KILL'],
    ...(uid === undefined
      ? []
      : ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--no-new-privs']),
    ...['prlimit', ...resourceLimits(options)],
    ...['/bin/bash', '--noprofile', '--norc', '-c', launcherScript, 'launcher', options.bwrapPath],
  ]
  const child = spawn(
    '/bin/bash',
    [
      '--noprofile',
      '--norc',
      '-c',
      preludeScript,
      'prelude',
      uid === undefined ? '' : String(uid),
      ...command,
    ],
    {
      cwd: directory,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => {
      reject(new PlatformError('unavailable', 'the sandbox launcher cannot be started', { cause }))
    })
  })
  return launcherOver(child)
}

async function launcherOver(child: ChildProcess): Promise<Launcher> {
  const current: { events: LauncherEvents | undefined; lost: boolean } = {
    events: undefined,
    lost: false,
  }
  const { stdin, stdout, pid } = child
  if (!stdin || !stdout || pid === undefined)
    throw new PlatformError('bug', 'launcher without pipes')
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      current.lost = true
      current.events?.onLost()
      current.events = undefined
      resolve()
    })
  })
  stdin.on('error', () => undefined)
  const lines = createInterface({ input: stdout })
  await Promise.race([once(lines, 'line'), closed])
  if (current.lost) throw new PlatformError('unavailable', 'the sandbox launcher ended at once')
  lines.on('line', (line) => {
    const events = current.events
    if (!events) return
    if (line.startsWith('gone ')) current.events = undefined
    tell(line, events)
  })
  return {
    pid,
    start: (events) => {
      if (current.lost) {
        queueMicrotask(() => {
          events.onLost()
        })
        return
      }
      current.events = events
      stdin.write('\n')
    },
    stop: async () => {
      stdin.end()
      child.kill('SIGKILL')
      await closed
    },
  }
}

function tell(line: string, events: LauncherEvents): void {
  const born = /"child-pid": (\d+)/.exec(line)
  const exitCode = /"exit-code": (\d+)/.exec(line)
  const gone = /^gone (\d+)$/.exec(line)
  if (born) events.onBorn(Number(born[1]))
  if (exitCode) events.onExitCode(Number(exitCode[1]))
  if (gone) events.onGone(Number(gone[1]))
}

/** Soft and hard alike: what is set here cannot be raised inside. */
function resourceLimits({ limits, grouped, uid }: LauncherOptions): string[] {
  const { memoryBytes, processes, fileBytes, openFiles, cpuSeconds } = limits
  const both = (name: string, value: number): string => `--${name}=${value}:${value}`
  return [
    both('core', 0),
    both('nofile', openFiles),
    ...(fileBytes === null ? [] : [both('fsize', fileBytes)]),
    // The first signal says why, the second comes to those who ignore it.
    ...(cpuSeconds === null ? [] : [`--cpu=${cpuSeconds}:${cpuSeconds + 1}`]),
    // The kernel counts these per uid: a group counts better, and a shared uid would let sandboxes starve
    // each other. Beside a group this is only the second fence.
    ...(uid === undefined && grouped
      ? []
      : [both('nproc', grouped ? 4 * processes : processes + 8)]),
    ...(grouped ? [] : [both('as', memoryBytes)]),
  ]
}

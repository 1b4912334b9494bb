import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, closeSync, readFileSync } from 'node:fs'

/** A server process of a test, its output in a file. */
export interface Child {
  readonly pid: number
  readonly exited: Promise<void>
  kill(signal: NodeJS.Signals): void
  /** What the kernel says it does: `R`, `S`, `T` … */
  state(): string
  /** The last lines of its output. */
  tail(): string
}

export interface ChildSetting {
  readonly logPath: string
  readonly uid?: number | undefined
  readonly gid?: number | undefined
  readonly cwd?: string
  /** The whole environment of the process; ours unless given. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a server; it goes with the test process at the latest. */
export function startChild(command: string, args: readonly string[], setting: ChildSetting): Child {
  const log = openSync(setting.logPath, 'a')
  const identity =
    setting.uid === undefined ? {} : { uid: setting.uid, gid: setting.gid ?? setting.uid }
  const child = spawn(command, args, {
    stdio: ['ignore', log, log],
    ...(setting.cwd === undefined ? {} : { cwd: setting.cwd }),
    ...(setting.env === undefined ? {} : { env: { ...setting.env } }),
    ...identity,
  })
  closeSync(log)
  const stop = (): void => {
    child.kill('SIGKILL')
  }
  process.once('exit', stop)
  return {
    pid: child.pid ?? 0,
    exited: exitOf(child).then(() => void process.off('exit', stop)),
    kill: (signal) => child.kill(signal),
    state: () => stateOf(child.pid ?? 0),
    tail: () => readFileSync(setting.logPath, 'utf8').split('\n').slice(-15).join('\n'),
  }
}

function stateOf(pid: number): string {
  // The name before it is in parentheses and may hold anything.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve()
    })
    child.once('error', () => {
      resolve()
    })
  })
}

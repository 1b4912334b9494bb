/** What the attacker aims at on the host. */
export interface Target {
  /** World-writable directory of the host; nothing may appear in it. */
  readonly openDirectory: string
  /** A file of the host with the canary in it. */
  readonly secretFile: string
  /** A socket file of the host that listens. */
  readonly socketFile: string
  /** An abstract socket of the host that listens, without its leading NUL. */
  readonly abstractSocket: string
  /** A TCP port of the host's loopback that listens, on 127.0.0.1 and where there is one on ::1. */
  readonly port: number
  /** A process of the host that waits, under the same uid as the attacker where that can be. */
  readonly victimPid: number
}

/** How one step of an attack ended. */
export interface StepResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | null
}

export interface Step {
  readonly script: string
  /** Working directory, below the workspace. */
  readonly cwd?: string
  /** The step is ended after this long, as an operator would. */
  readonly timeoutMs?: number
}

/** One attempt to get out, to get at something, or to take the machine down. */
export interface AttackCase {
  /** `X4 keyctl`: the class of escape and what is tried. */
  readonly name: string
  readonly steps: (target: Target) => readonly Step[]
  /** Looks at the host while the attack is played; true when that shows that it goes through. */
  readonly meanwhile?: () => Promise<boolean>
  /** What beside the marks and the canary shows that it went through. */
  readonly wentThrough?: (evidence: Evidence) => Promise<boolean> | boolean
}

/** What is left behind by an attack. */
export interface Evidence {
  readonly results: readonly StepResult[]
  readonly target: Target
  /** Wall-clock of all steps. */
  readonly tookMs: number
  /** Command lines of everything that runs on the host now. */
  readonly commandLines: string
  /** Bytes that the workspace holds. */
  readonly workspaceBytes: number
  /** Connections that reached a listener of the host. */
  readonly connections: number
}

/** What a script prints when it got through. */
export const mark = 'WENT-THROUGH'
/** Secret content of the host: in its environment, its files, its command lines. */
export const canary = 'canary-5c1e9'

/** A case of one step. */
export function attack(
  name: string,
  script: string | ((target: Target) => string),
  wentThrough?: AttackCase['wentThrough'],
): AttackCase {
  const steps = (target: Target): readonly Step[] => [
    { script: typeof script === 'string' ? script : script(target) },
  ]
  return wentThrough ? { name, steps, wentThrough } : { name, steps }
}

/** A Python program as one shell line; `check(errno)` marks what a wall did not refuse. */
export function python(lines: string): string {
  const prelude = [
    'import ctypes, errno, os, socket, sys',
    'libc = ctypes.CDLL(None, use_errno=True)',
    'refused = (errno.EPERM, errno.EACCES, errno.ENOSYS)',
    'def call(number, *rest):',
    '    ctypes.set_errno(0)',
    '    answer = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in rest])',
    '    return answer, ctypes.get_errno()',
    'def through(number, *rest):',
    '    answer, why = call(number, *rest)',
    `    if answer >= 0 or why not in refused: print("${mark}", number, answer, errno.errorcode.get(why))`,
  ].join('\n')
  return `/usr/bin/python3 - <<'PROGRAM'\n${prelude}\n${lines}\nPROGRAM`
}

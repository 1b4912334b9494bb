import { type Readable } from 'node:stream'

/** Where the processes of one workspace run: prepared once, used for one execution at a time. */
export interface SandboxCell extends AsyncDisposable {
  /** Host uid that owns the files of the workspace. */
  readonly uid: number
  start(job: SandboxJob): SandboxProcess
}

/** What to run. */
export interface SandboxJob {
  /** Program and arguments, as they are: nothing parses them again. */
  readonly argv: readonly string[]
  /** Directory below the workspace; empty for its root. */
  readonly cwd: string
}

/** How a process tree ended; it is gone by then. */
export interface SandboxExit {
  /** 128 + signal for a signal. */
  readonly exitCode: number
  /** memory_limit, process_limit, cpu_limit, file_size_limit, sandbox_failed; empty when nothing stands out. */
  readonly reason: string
  /** The reason in words: the limit with its value; empty when there is no more to say. */
  readonly explanation: string
}

/** A running process tree. Both streams end when it is gone, whatever was left behind in it. */
export interface SandboxProcess {
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Promise<SandboxExit>
  /** Ends the whole tree at once. */
  readonly kill: () => void
}

/** Where a cell lives on the host. */
export interface SandboxPlace {
  /** What the sandbox sees as /workspace. */
  readonly filesDirectory: string
  /** Out of reach of the sandbox. */
  readonly privateDirectory: string
  /** Own host uid, when the runner may give one. */
  readonly uid: number | undefined
}

/** One part of the wall, and whether it was seen to hold. */
export interface SandboxFinding {
  readonly part: string
  readonly holds: boolean
  /** Without it executions are refused. */
  readonly required: boolean
  readonly message: string
  readonly remedy: string
}

/** The wall around executions. */
export interface Sandbox {
  /** What the start-up probe found. */
  readonly findings: readonly SandboxFinding[]
  /** The mode and what is reduced, for people. */
  readonly description: string
  /** Throws `unavailable` naming what is missing: a wall with a hole is not used. */
  prepare(place: SandboxPlace): Promise<SandboxCell>
}

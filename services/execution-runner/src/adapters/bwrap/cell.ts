import { join } from 'node:path'
import { PlatformError } from '@sciencediscovery/kernel'
import {
  type SandboxCell,
  type SandboxExit,
  type SandboxJob,
  type SandboxProcess,
} from '../../sandbox.js'
import { type ControlGroup, type LimitHits } from './control-groups.js'
import { type Launcher } from './launcher.js'
import { limitWords } from './limit-words.js'
import { openOutputPipe } from './output-pipe.js'
import { killQuietly, processGone } from './process-gone.js'
import { type SandboxLimits } from './profile.js'
import { WordListFile } from './word-list-file.js'

/** What a cell is made of. */
export interface CellParts {
  readonly uid: number
  readonly directory: string
  readonly launcher: Launcher
  readonly group: ControlGroup | undefined
  readonly limits: SandboxLimits
  readonly argumentsFor: (cwd: string) => readonly string[]
}

/** A cell: one launcher, one control group, one execution at a time. */
export function createCell(parts: CellParts): SandboxCell {
  const state = { busy: false, hits: { memory: 0, processes: 0 } }
  const lists: Lists = {
    argv: new WordListFile(join(parts.directory, 'argv')),
    args: new WordListFile(join(parts.directory, 'args')),
  }
  return {
    uid: parts.uid,
    start: (job) => {
      if (state.busy) throw new PlatformError('bug', 'two executions in one cell')
      state.busy = true
      const started = startProcess(parts, lists, job)
      const exited = started.ended.then(async (ended) => {
        const hits = (await parts.group?.hits()) ?? state.hits
        const { exitCode, reason } = judge(ended, { before: state.hits, after: hits })
        state.hits = hits
        state.busy = false
        return { exitCode, reason, explanation: limitWords(reason, parts.limits) }
      })
      return { ...started.process, exited }
    },
    async [Symbol.asyncDispose]() {
      // Everything in the group, not only the launcher: a sandbox that is just being born has not
      // tied its life to it yet.
      await Promise.all([parts.launcher.stop(), parts.group?.killAll()])
      await parts.group?.[Symbol.asyncDispose]()
      lists.argv[Symbol.dispose]()
      lists.args[Symbol.dispose]()
    },
  }
}

interface Ended {
  /** undefined when the program never ran, or was killed with its sandbox. */
  readonly exitCode: number | undefined
  readonly killed: boolean
}

interface Started {
  readonly process: Pick<SandboxProcess, 'stdout' | 'stderr' | 'kill'>
  readonly ended: Promise<Ended>
}

/** What the launcher reads: the program with its arguments, and bubblewrap's own. */
interface Lists {
  readonly argv: WordListFile
  readonly args: WordListFile
}

function startProcess(parts: CellParts, lists: Lists, job: SandboxJob): Started {
  const { directory, launcher } = parts
  lists.argv.write(job.argv)
  lists.args.write(parts.argumentsFor(job.cwd))
  const out = openOutputPipe(join(directory, 'out'))
  const err = openOutputPipe(join(directory, 'err'))
  const tree: { pid?: number; exitCode?: number; killed: boolean } = { killed: false }
  const killTree = (): void => {
    if (tree.pid !== undefined) killQuietly(tree.pid)
  }
  const ended = new Promise<Ended>((resolve) => {
    const end = async (): Promise<void> => {
      if (tree.pid !== undefined) await processGone(tree.pid)
      out.finish()
      err.finish()
      resolve({ exitCode: tree.exitCode, killed: tree.killed })
    }
    launcher.start({
      onBorn: (pid) => {
        tree.pid = pid
        if (tree.killed) killTree()
      },
      onExitCode: (code) => {
        tree.exitCode = code
        // What is left of the tree has no use any more and may hold the pipes.
        killTree()
      },
      onGone: () => void end(),
      onLost: () => {
        killTree()
        void end()
      },
    })
  })
  const kill = (): void => {
    tree.killed = true
    killTree()
  }
  return { process: { stdout: out.stream, stderr: err.stream, kill }, ended }
}

const signals = { xcpu: 128 + 24, xfsz: 128 + 25, kill: 128 + 9 }

function judge(
  { exitCode, killed }: Ended,
  { before, after }: { readonly before: LimitHits; readonly after: LimitHits },
): Omit<SandboxExit, 'explanation'> {
  if (exitCode === undefined) {
    return { exitCode: signals.kill, reason: killed ? '' : lostReason(before, after) }
  }
  if (exitCode === 0) return { exitCode, reason: '' }
  if (after.memory > before.memory) return { exitCode, reason: 'memory_limit' }
  if (exitCode === signals.xcpu) return { exitCode, reason: 'cpu_limit' }
  if (exitCode === signals.xfsz) return { exitCode, reason: 'file_size_limit' }
  if (after.processes > before.processes) return { exitCode, reason: 'process_limit' }
  return { exitCode, reason: '' }
}

function lostReason(before: LimitHits, after: LimitHits): string {
  return after.memory > before.memory ? 'memory_limit' : 'sandbox_failed'
}

import { execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type StepResult } from '../attack-case.js'
import { type Contestant } from './contestant.js'

const run = promisify(execFile)
const nobody = 65_534
const keptCharacters = 8 * 1024 * 1024

/** How a peer wraps a shell line for a workspace: program and arguments. */
export type Wrap = (script: string, workspace: string, cwd: string) => Promise<readonly string[]>

/** A peer that is a command in front of the command, run as nobody like a runner's executions. */
export function wrappedCommand(name: string, wrap: Wrap): Contestant {
  const workspaces: string[] = []
  return {
    name,
    play: async (steps) => {
      const workspace = await mkdtemp(join(tmpdir(), 'scid-attacked-'))
      workspaces.push(workspace)
      await chmod(workspace, 0o755)
      if (process.getuid?.() === 0) await chown(workspace, nobody, nobody)
      const results: StepResult[] = []
      for (const step of steps) {
        const argv = await wrap(step.script, workspace, join(workspace, step.cwd ?? ''))
        results.push(await playStep(argv, workspace, step.timeoutMs ?? 30_000))
      }
      return { results, workspaceBytes: await bytesOf(workspace), collected: '' }
    },
    [Symbol.asyncDispose]: async () => {
      for (const workspace of workspaces) await rm(workspace, { recursive: true, force: true })
    },
  }
}

/** Ends the process group when its time is over, as a careful caller would. */
function playStep(argv: readonly string[], cwd: string, timeoutMs: number): Promise<StepResult> {
  const asNobody =
    process.getuid?.() === 0
      ? ['setpriv', '--reuid', String(nobody), '--regid', String(nobody), '--clear-groups']
      : []
  const [program = '', ...rest] = [...asNobody, ...argv]
  return new Promise((resolve) => {
    const child = spawn(program, rest, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const kept = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk: Buffer) => {
      if (kept.stdout.length < keptCharacters) kept.stdout += chunk.toString('latin1')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      kept.stderr = `${kept.stderr}${chunk.toString('latin1')}`.slice(-64 * 1024)
    })
    const timer = setTimeout(() => {
      if (child.pid !== undefined) endGroup(child.pid)
    }, timeoutMs)
    const settle = (exitCode: number | null): void => {
      clearTimeout(timer)
      resolve({ ...kept, exitCode })
    }
    child.once('error', (error) => {
      kept.stderr += String(error)
      settle(null)
    })
    child.once('exit', (code) => {
      // A pipe that a child holds open is what one of the cases is about: it is given two seconds.
      const late = setTimeout(() => {
        settle(code)
      }, 12_000)
      child.once('close', () => {
        clearTimeout(late)
        settle(code)
      })
    })
  })
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It was faster.
  }
}

async function bytesOf(directory: string): Promise<number> {
  const names = await readdir(directory)
  const sizes = names.map(async (name) => (await stat(join(directory, name))).size)
  const settled = await Promise.allSettled(sizes)
  return settled.reduce((sum, size) => sum + (size.status === 'fulfilled' ? size.value : 0), 0)
}

/** Ends what peers left running: only what carries a number of one of our own cases. */
export async function endLeftovers(): Promise<void> {
  await run('pkill', ['-9', '-f', '^sleep 8631[1-4]$']).catch(() => undefined)
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createWorld,
  pool,
  projectId,
  type Replica,
} from '../../../services/execution-runner/src/testing/runner-fixture.js'
import { type Step, type StepResult } from '../attack-case.js'
import { type Contestant } from './contestant.js'

const MiB = 1024 * 1024

/** The runner as it ships, asked over gRPC, with small limits; what it collects ends in its blob store. */
export async function startRunner(): Promise<Contestant> {
  const world = await createWorld()
  const replica = await world.startReplica('attacked', {
    sandbox: {
      ...{ memoryBytes: 64 * MiB, processes: 32, maxWorkspaceBytes: 32 * MiB },
      ...{ maxOutputBytes: MiB, workspaces: 200 },
    },
  })
  const cases = { next: 1 }
  return {
    name: 'execution-runner',
    play: async (steps) => {
      const number = cases.next
      cases.next += 1
      const workspaceId = `w-${pool}-${String(number).padStart(16, '0')}-${projectId}`
      const results: StepResult[] = []
      for (const step of steps) results.push(await playStep(replica, workspaceId, step))
      return {
        results,
        workspaceBytes: await bytesOf(replica, workspaceId),
        collected: await contentsOf(join(world.directory, 'blobs')),
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

async function playStep(
  replica: Replica,
  workspaceId: string,
  { script, cwd = '', timeoutMs = 30_000 }: Step,
): Promise<StepResult> {
  try {
    const asked = { workspaceId, cwd, timeoutMs: BigInt(timeoutMs), waitMs: 60_000 }
    const { stdoutPreview, stderrPreview, exitCode } = await replica.run(script, asked)
    return { stdout: stdoutPreview, stderr: stderrPreview, exitCode: exitCode ?? null }
  } catch (error) {
    return { stdout: '', stderr: String(error), exitCode: null }
  }
}

async function bytesOf(replica: Replica, workspaceId: string): Promise<number> {
  const actor = { projectId, sessionId: 's1', runId: 'r1', agentId: 'a1', callId: 'c1' }
  const { files } = await replica.files.listFiles({
    ...{ actor, workspaceId, runnerId: pool, path: '', recursive: true, limit: 500, after: '' },
  })
  return files.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0)
}

async function contentsOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const small = entries.filter((entry) => entry.isFile()).slice(-2_000)
  const texts = small.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'))
  return (await Promise.all(texts)).map((text) => text.slice(0, 64 * 1024)).join('\n')
}

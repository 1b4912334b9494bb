import { appendFile, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startRun } from '../harness/run-client.js'
import { watchRun } from '../harness/run-watcher.js'
import { type LocalProcess, startLocalProcess } from './local-stack-process.js'
import { logLinesOf, outcomesOf } from './observations.js'
import { referenceScript } from './reference-run.js'

let dataDir: string
let stack: LocalProcess | undefined
beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'scid-local-kill-')), 'data')
})
afterEach(async ({ task }) => {
  await stack?.kill('SIGKILL')
  if (task.result?.state === 'fail') process.stderr.write(await log())
  await rm(join(dataDir, '..'), { recursive: true, force: true })
})

const order = { key: 'local', script: referenceScript, approve: 'always' } as const

describe('the local stack killed with -9 during a run', () => {
  test.each(['model.turn.requested', 'tool.call.released', 'artifact.declared'])(
    'after %s: started again, the run completes and nothing is done twice',
    async (type) => {
      stack = await startLocalProcess(dataDir)
      const { runId, watcher } = await startRun(stack.channel, order)
      await watcher.waitForType(type)
      await stack.kill('SIGKILL')
      await watcher[Symbol.asyncDispose]()
      stack = await startLocalProcess(dataDir)
      await using again = watchRun(stack.channel, runId)
      expect((await again.waitForEnd()).type).toBe('run.completed')
      const { events } = again
      expect(events.map(({ position }) => position)).toEqual(events.map((_, n) => n + 1))
      expect(events.slice(0, watcher.events.length)).toEqual(watcher.events)
      for (const [callId, outcomes] of outcomesOf(events))
        expect({ callId, outcomes: outcomes.length }).toEqual({ callId, outcomes: 1 })
      const lines = logLinesOf(events)
      expect(lines).toEqual([...new Set(lines)])
      expect(lines.at(-1)).toBe('s3')
    },
  )
})

describe('the journal of a stack that was killed while it wrote', () => {
  test('a torn tail is cut and reported, and what was recorded before is whole', async () => {
    stack = await startLocalProcess(dataDir)
    const { runId, watcher } = await startRun(stack.channel, order)
    await watcher.waitForEnd()
    await stack.kill('SIGKILL')
    await watcher[Symbol.asyncDispose]()
    await appendFile(await newestJournalFile(), Buffer.from('torn in the middle of a record'))
    stack = await startLocalProcess(dataDir)
    expect(await log()).toMatch(/torn|cut/i)
    await using again = watchRun(stack.channel, runId)
    await again.waitForEnd()
    expect(again.events).toEqual(watcher.events)
    const next = await startRun(stack.channel, { ...order, key: 'after the cut' })
    await using nextWatcher = next.watcher
    expect((await nextWatcher.waitForEnd()).type).toBe('run.completed')
  })
})

/** What every process on this data directory has logged. */
function log(): Promise<string> {
  return readFile(`${dataDir}.log`, 'utf8')
}

async function newestJournalFile(): Promise<string> {
  const folder = join(dataDir, 'journal')
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name)
      return { path, changedAt: (await stat(path)).mtimeMs }
    }),
  )
  const newest = files.sort((a, b) => b.changedAt - a.changedAt)[0]
  if (!newest) throw new Error('the stack has no journal')
  return newest.path
}

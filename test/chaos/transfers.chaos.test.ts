import { createHash } from 'node:crypto'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { transferSubject } from '@sciencediscovery/run-events'
import { rpcClient } from '@sciencediscovery/service-kit'
import { collect } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { z } from 'zod'
import { type Constellation, startConstellation } from '../harness/constellation.js'
import { startRun } from '../harness/run-client.js'
import { type RunWatcher } from '../harness/run-watcher.js'

let stack: Constellation
beforeAll(async () => {
  stack = await startConstellation({
    ...{ orchestrators: 1, runners: 1, gpuRunners: 1, artifactStores: 2, natsUsers: true },
  })
}, 240_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const step = (toolCall: unknown) => ({ text: '', toolCalls: [toolCall] })
const transfer = (id: string, args: object) => step(call(id, 'workspace_transfer', args))
const shell = (id: string, command: string, runner_id: string) =>
  step(call(id, 'run_shell', { command, runner_id, wait_ms: 30_000 }))
const workspaces = transfer('ws', { operation: 'workspaces' })
const local = '{{ws.details.workspaces[runnerId=local].id}}'
const gpu = '{{ws.details.workspaces[runnerId=gpu].id}}'
const way = { operation: 'start', source_workspace_id: local, target_workspace_id: gpu }
const resultOf = ({ events }: RunWatcher, callId: string) =>
  events.find(({ type, data }) => type === 'tool.call.completed' && data.callId === callId)?.data

interface Copying {
  readonly transferId: string
  readonly copier: string
}

/** The transfer into the directory as soon as its first file is there, and the process that copies. */
async function copyingInto(directory: string): Promise<Copying> {
  const { store } = stack.ports
  const [stream = ''] = store.streamsOf('transfers')
  const options = { batch: 1, signal: AbortSignal.timeout(60_000) }
  for await (const commits of store.followStream(stream, 0, options)) {
    for (const { commit } of commits) {
      const copied = commit.events.find(({ type }) => type === 'transfer.file.completed')
      const { targetPath, transferId } = PlaceSchema.parse(copied?.data ?? {})
      if (!targetPath.startsWith(directory)) continue
      return { transferId, copier: await processOf(commit.writer) }
    }
  }
  throw new Error('nothing was copied')
}

const PlaceSchema = z.object({
  targetPath: z.string().default(''),
  transferId: z.string().default(''),
})

async function processOf(writer: string): Promise<string> {
  for (const { spec, channel } of stack.processes) {
    if (!spec.name.startsWith('artifact-store')) continue
    const { replicaId } = await rpcClient(OperationsServiceService, channel).diagnose({})
    if (replicaId === writer) return spec.name
  }
  throw new Error(`no process is ${writer}`)
}

/** How often somebody took the transfer up. */
async function attemptsOf(transferId: string): Promise<number> {
  const { store } = stack.ports
  const subject = transferSubject('default', transferId)
  const last = await store.last(subject)
  const commits = await collect(store.read(subject, { upToSequence: last?.sequence ?? 0 }))
  const events = commits.flatMap(({ commit }) => commit.events)
  return events.filter(({ type }) => type === 'transfer.attempt.started').length
}

describe('a transfer between two pools of processes', () => {
  test('S-12: goes there, is worked on, comes back, and provenance tells the way', async () => {
    onTestFailed(() => {
      process.stderr.write(stack.logs())
    })
    const turns = [
      workspaces,
      step(call('w1', 'write_file', { path: 'in.txt', content: 'one\ntwo\n' })),
      transfer('t1', { ...way, files: [{ source_path: 'in.txt', target_path: 'in.txt' }] }),
      shell('s1', 'tac in.txt > out.txt', 'gpu'),
      transfer('t2', {
        ...{ operation: 'start', source_workspace_id: gpu, target_workspace_id: local },
        files: [{ source_path: 'out.txt', target_path: 'out.txt' }],
      }),
      step(call('v1', 'get_file_provenance', { path: 'out.txt' })),
      { text: 'done' },
    ]
    const order = { key: 'two-pools', script: { turns }, approve: 'always' } as const
    const { watcher } = await startRun(stack.process('console').channel, order)
    await using _ = watcher
    expect((await watcher.waitForEnd()).type).toBe('run.completed')
    expect(resultOf(watcher, 'v1')?.details).toMatchObject({ origin: 'transfer' })
    const { upstream } = resultOf(watcher, 'v1')?.details as Told
    expect(upstream.map(({ callId }) => callId)).toEqual(['t2', 's1', 't1', 'w1'])
  })

  test('S-12: ends once when the replica that copies is killed; every file is whole', async () => {
    onTestFailed(() => {
      process.stderr.write(stack.logs())
    })
    const names = Array.from({ length: 30 }, (_, n) => `f${n}.bin`)
    const make = 'for n in $(seq 0 29); do yes $n | head -c 4000000 > f$n.bin; done'
    const turns = [
      workspaces,
      shell('s1', make, 'local'),
      transfer('t1', {
        ...way,
        files: names.map((name) => ({ source_path: name, target_path: `in/${name}` })),
      }),
      step(call('p1', 'run_shell', { command: 'sleep 25', wait_ms: 30_000 })),
      transfer('q1', { operation: 'status', transfer_id: '{{t1.details.transfer.id}}' }),
      shell('s2', 'cd in && sha256sum f*.bin && ls | wc -l', 'gpu'),
      { text: 'done' },
    ]
    const order = { key: 'killed', script: { turns }, approve: 'always' } as const
    const { watcher } = await startRun(stack.process('console').channel, order)
    await using _ = watcher
    const { transferId, copier } = await copyingInto('in/')
    await stack.kill(copier)
    expect((await watcher.waitForEnd(120_000)).type).toBe('run.completed')
    await stack.start(copier)
    expect(await attemptsOf(transferId)).toBe(2)
    expect(resultOf(watcher, 'q1')?.details).toMatchObject({
      transfer: { state: 'completed', completedFiles: 30 },
    })
    const ends = watcher.events.filter(({ type }) => type === 'transfer.completed')
    expect(ends).toHaveLength(1)
    const settled = watcher.events.filter(({ type }) => type === 'transfer.file.completed')
    expect(new Set(settled.map(({ data }) => data.index)).size).toBe(30)
    expect(settled).toHaveLength(30)
    const shown = (resultOf(watcher, 's2')?.details as Shown).execution.stdout
    for (const n of names.keys()) expect(shown).toContain(`${digestOf(n)}  f${n}.bin`)
    expect(shown.trimEnd().endsWith('\n30')).toBe(true)
  }, 200_000)
})

interface Told {
  readonly upstream: readonly { readonly callId: string }[]
}

interface Shown {
  readonly execution: { readonly stdout: string }
}

function digestOf(n: number): string {
  const line = `${n}\n`
  const content = line.repeat(Math.ceil(4_000_000 / line.length)).slice(0, 4_000_000)
  return createHash('sha256').update(content).digest('hex')
}

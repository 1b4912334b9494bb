import { spawn } from 'node:child_process'
import { chmod, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { createEmbeddedStore } from '@sciencediscovery/event-store'
import { createService } from '@sciencediscovery/execution-runner'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { connectChannel, createLogger, rpcClient } from '@sciencediscovery/service-kit'
import { closedLoop } from '../lib/closed-loop.mjs'
import { serve } from '../lib/serve.mjs'

const token = 'a-token-for-benchmarks'
const actor = { projectId: 'p1', sessionId: 's1', runId: 'r1', agentId: 'a1', callId: 'c1' }
const held = { next: 0, replicas: [] }

const sandbox = {
  ...{ bwrapPath: '/usr/bin/bwrap', maxWorkspaceBytes: 2 * 1024 ** 3, maxOutputBytes: 1024 ** 3 },
  ...{ memoryBytes: 1024 ** 3, processes: 64, openFiles: 4096, idleReleaseMs: 600_000 },
}

const workspaceOf = (client) => `w-local-${String(client).padStart(16, '0')}-p1`

function execute(client, command) {
  held.next += 1
  const { executions } = held.replicas[client % held.replicas.length]
  return executions.startExecution(
    {
      ...{ executionId: `x-${held.next}`, projectId: 'p1', runnerId: 'local', command },
      ...{ runId: 'r1', agentId: 'a1', callId: 'c1', sessionId: 's1', environmentId: '' },
      ...{ scriptPath: '', arguments: [], cwd: '', timeoutMs: 0n, declaredInputs: [] },
      ...{ workspaceId: workspaceOf(client), waitMs: 60_000 },
    },
    { timeoutMs: 120_000 },
  )
}

async function ended(client, command) {
  const { execution } = await execute(client, command)
  if (execution?.exitCode !== 0) throw new Error(JSON.stringify(execution?.reason))
  return execution
}

/** The command without a wall around it, its output in a file. */
async function toFile(command, path) {
  const file = await open(path, 'w')
  const startedAt = performance.now()
  const child = spawn('/bin/bash', ['-c', command], { stdio: ['ignore', file.fd, 'ignore'] })
  await new Promise((resolve) => child.once('exit', resolve))
  await file.close()
  return performance.now() - startedAt
}

serve({
  async prepare({ directory, replicas, slots }) {
    await mkdir(directory, { recursive: true, mode: 0o755 })
    await chmod(directory, 0o755)
    held.directory = directory
    const store = await createEmbeddedStore({ directory: join(directory, 'store') })
    const blobs = await createDirectoryBlobStore({ directory: join(directory, 'blobs') })
    const logger = createLogger('bench', { level: 'silent' })
    for (let index = 0; index < replicas; index += 1) {
      const dataDirectory = join(directory, `replica-${index}`)
      await mkdir(dataDirectory, { mode: 0o755 })
      const bounds = { slots, workspaces: slots * 2, firstUid: 260_000 + index * 100 }
      const { address } = await createService(
        {
          ...{ host: '127.0.0.1', port: 0, token, pool: 'local', dataDirectory },
          sandbox: { ...sandbox, ...bounds },
        },
        { ...store.attach(), blobs, logger },
      )
      const channel = connectChannel(address, { token })
      held.replicas.push({
        executions: rpcClient(ExecutionServiceService, channel),
        files: rpcClient(WorkspaceServiceService, channel),
      })
    }
  },
  /** So much on standard output: the call with everything it promises, and the command alone. */
  async output({ bytes }) {
    const command = `yes 0123456789 | head -c ${bytes}`
    await ended(0, 'true')
    const startedAt = performance.now()
    const { stdoutBytes } = await ended(0, command)
    const oursMs = performance.now() - startedAt
    if (Number(stdoutBytes) !== bytes) throw new Error(`${stdoutBytes} of ${bytes} bytes`)
    return { oursMs, floorMs: await toFile(command, join(held.directory, 'floor')) }
  },
  async reads({ times }) {
    await ended(0, 'seq 1 1000 > rows.txt')
    const { files } = held.replicas[0]
    const request = {
      ...{ actor, workspaceId: workspaceOf(0), runnerId: 'local', path: 'rows.txt' },
      ...{ offset: 1n, limit: 100, charOffset: 0n },
    }
    return closedLoop({ clients: 1, perClient: times, act: () => files.readFile(request) })
  },
  /** Work that sleeps: what is measured is how much of it goes on at once. */
  async sleeps({ clients, perClient, seconds }) {
    await Promise.all(Array.from({ length: clients }, (_, client) => ended(client, 'true')))
    const startedAt = performance.now()
    const act = (client) => ended(client, `sleep ${seconds}`)
    const one = async (client) => {
      for (let turn = 0; turn < perClient; turn += 1) await act(client)
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => one(client)))
    return { perSecond: (clients * perClient * 1000) / (performance.now() - startedAt) }
  },
})

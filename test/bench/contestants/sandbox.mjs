import { spawn } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { createEmbeddedStore } from '@sciencediscovery/event-store'
import { createService } from '@sciencediscovery/execution-runner'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { connectChannel, createLogger, rpcClient } from '@sciencediscovery/service-kit'
import { createBwrapSandbox } from '../../../services/execution-runner/dist/adapters/bwrap/bwrap-sandbox.js'
import { scienceProfile } from '../../../services/execution-runner/dist/adapters/bwrap/profile.js'
import { closedLoop } from '../lib/closed-loop.mjs'
import { rawSandbox } from '../lib/raw-sandbox.mjs'
import { serve } from '../lib/serve.mjs'

const token = 'a-token-for-benchmarks'
const held = { next: 0 }
const limits = {
  memoryBytes: 1024 ** 3,
  processes: 256,
  fileBytes: 1024 ** 3,
  openFiles: 4096,
  cpuSeconds: null,
}

/** What bubblewrap alone is given: the program of the wall's row, the shell line of the runner's. */
const raw = { raw: ['/usr/bin/true'], 'raw-shell': ['/bin/bash', '-c', 'true'] }

/** The wall alone: a prepared cell and one start in it. */
async function cells(directory, clients) {
  const own = process.getuid() === 0
  const firstUid = 240_000
  const rootDirectory = join(directory, 'root')
  await mkdir(rootDirectory, { recursive: true, mode: 0o755 })
  await chmod(directory, 0o755)
  const sandbox = await createBwrapSandbox({
    rootDirectory,
    bwrapPath: '/usr/bin/bwrap',
    profile: scienceProfile(limits),
    name: 'bench',
    probeUid: own ? firstUid + 100 : undefined,
  })
  const made = []
  for (let index = 0; index < clients; index += 1) {
    const privateDirectory = join(rootDirectory, `cell-${index}`)
    const filesDirectory = join(privateDirectory, 'files')
    await mkdir(filesDirectory, { recursive: true, mode: 0o777 })
    await chmod(privateDirectory, 0o755)
    await chmod(filesDirectory, 0o777)
    const uid = own ? firstUid + index : undefined
    made.push(await sandbox.prepare({ filesDirectory, privateDirectory, uid }))
  }
  return async (client) => {
    const { stdout, stderr, exited } = made[client].start({ argv: ['/usr/bin/true'], cwd: '' })
    stdout.resume()
    stderr.resume()
    const { exitCode, reason } = await exited
    if (exitCode !== 0) throw new Error(`true ended with ${exitCode} ${reason}`)
  }
}

/** Everything the runner promises: asked over gRPC, recorded, walled in, gone, snapshot stored, recorded. */
async function runner(directory, clients) {
  await chmod(directory, 0o755)
  const ports = await createEmbeddedStore({ directory: join(directory, 'store') })
  const blobs = await createDirectoryBlobStore({ directory: join(directory, 'blobs'), fsync: true })
  const sandbox = {
    ...{ bwrapPath: '/usr/bin/bwrap', maxWorkspaceBytes: 1024 ** 3, maxOutputBytes: 1024 ** 3 },
    ...{ memoryBytes: limits.memoryBytes, processes: 256, openFiles: 4096, firstUid: 250_000 },
    ...{ slots: clients, workspaces: clients * 2, idleReleaseMs: 600_000 },
  }
  const config = {
    host: '127.0.0.1',
    port: 0,
    token,
    pool: 'local',
    dataDirectory: directory,
    sandbox,
  }
  const logger = createLogger('bench', { level: 'silent' })
  const { address } = await createService(config, { ...ports, blobs, logger })
  const executions = rpcClient(ExecutionServiceService, connectChannel(address, { token }))
  return async (client) => {
    held.next += 1
    const { execution } = await executions.startExecution(
      {
        ...{ executionId: `x-${held.next}`, projectId: 'p1', runnerId: 'local', command: 'true' },
        workspaceId: `w-local-${String(client).padStart(16, '0')}-p1`,
        ...{ runId: 'r1', agentId: 'a1', callId: 'c1', sessionId: 's1', environmentId: '' },
        ...{
          scriptPath: '',
          arguments: [],
          cwd: '',
          timeoutMs: 0n,
          declaredInputs: [],
          waitMs: 30_000,
        },
      },
      { timeoutMs: 60_000 },
    )
    if (execution?.exitCode !== 0) throw new Error(JSON.stringify(execution))
  }
}

serve({
  async prepare({ kind, directory, clients }) {
    await mkdir(directory, { recursive: true, mode: 0o755 })
    if (kind in raw) held.act = () => rawSandbox(spawn, ...raw[kind])
    else held.act = await (kind === 'cell' ? cells : runner)(directory, clients)
  },
  measure({ clients, perClient }) {
    return closedLoop({ clients, perClient, act: held.act })
  },
})

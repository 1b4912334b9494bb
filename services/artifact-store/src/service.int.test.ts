import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { migrate, openDatabase } from '@sciencediscovery/db'
import { createEmbeddedStore, type EmbeddedStore } from '@sciencediscovery/event-store'
import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { connectChannel, rpcClient } from '@sciencediscovery/service-kit'
import { type PostgresServer, startPostgres } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadArtifactStoreConfig } from './config.js'
import { migrations } from './db/migrations/index.js'
import { token } from './neighbours-fixture.js'
import { createService } from './service.js'
import { configOf, quiet } from './world-fixture.js'

let directory: string
let server: PostgresServer
let ports: EmbeddedStore
let blobs: BlobStore
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-service-'))
  server = await startPostgres()
  ports = await createEmbeddedStore()
  blobs = await createDirectoryBlobStore({ directory, fsync: false })
})
afterAll(async () => {
  await ports[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const hash = '0123456789abcdef'
const start = () => {
  const config = configOf('127.0.0.1:1', { pgUrl: server.url })
  return createService(config, { store: ports.store, blobs, logger: quiet, takeoverMs: 100 })
}

describe('artifact store on a PostgreSQL server', () => {
  test('a serving process makes no tables: it is refused and told what to run', async () => {
    await expect(start()).rejects.toMatchObject({
      code: 'refused',
      details: { reason: 'migrations_pending', remedy: 'run make migrate' },
    })
  })

  test('BR-038 two replicas that declare one name at once give dense versions, and each shows them all', async () => {
    const database = await openDatabase({ url: server.url, schema: 'artifact_store' })
    await migrate(database, migrations)
    await database[Symbol.asyncDispose]()
    await using one = await start()
    await using other = await start()
    using toOne = connectChannel(one.address, { token })
    using toOther = connectChannel(other.address, { token })
    const clients = [toOne, toOther].map((channel) => rpcClient(ArtifactServiceService, channel))
    const { digest } = await blobs.put(Buffer.from('x'))
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, index) =>
        clients[index % 2]?.declareArtifact({
          effectKey: `k${index}`,
          actor: { projectId: 'p', sessionId: `s-${hash}-p`, runId: '', agentId: '', callId: '' },
          workspaceId: `w-local-${hash}-p`,
          file: { path: 'report.md', digest, sizeBytes: 1n, mediaType: '' },
          name: '',
          description: '',
          artifactId: '',
          baseVersionId: '',
          origin: 'agent',
          sessionTitle: '',
        }),
      ),
    )
    const versions = answers.map((answer) => answer?.artifact?.version?.version ?? 0)
    expect(versions.sort((left, right) => left - right)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    )
    for (const client of clients) {
      for (const answer of answers) {
        const minPosition = answer?.position ?? ''
        await client.listArtifacts({ projectId: 'p', pageSize: 0, pageToken: '', minPosition })
      }
      const page = await client.listArtifacts({
        projectId: 'p',
        pageSize: 0,
        pageToken: '',
        minPosition: '',
      })
      expect(page.artifacts.map(({ version }) => version?.version)).toEqual([12])
    }
  })
})

describe('configuration', () => {
  test('every problem is named at once', () => {
    const env = {
      SCIENCE_DISCOVERY_TOKEN: 'short',
      RUNNER_ADDRESSES: 'nonsense',
      SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_FILE_BYTES: 'much',
    }
    expect(() => loadArtifactStoreConfig(env)).toThrow(
      /(?=[^]*_TOKEN)(?=[^]*RUNNER_ADDRESSES)(?=[^]*MAX_FILE_BYTES)(?=[^]*ORCHESTRATOR_ADDRESS)/,
    )
  })

  test('3.1 the lower of the upload limits counts, and both have defaults', () => {
    const env = {
      SCIENCE_DISCOVERY_TOKEN: 'a-token-that-is-long',
      ORCHESTRATOR_ADDRESS: 'orc:1',
      RUNNER_ADDRESSES: 'local=run:1',
    }
    expect(loadArtifactStoreConfig(env).maxUploadBytes).toBe(2 ** 30)
    const lower = { ...env, SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_REQUEST_BYTES: '5MiB' }
    expect(loadArtifactStoreConfig(lower).maxUploadBytes).toBe(5 * 2 ** 20)
  })
})

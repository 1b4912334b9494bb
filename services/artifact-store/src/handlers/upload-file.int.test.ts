import { createHash } from 'node:crypto'
import {
  type UploadFileRequest,
  type UploadStart,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aSession } from '../session-fixture.js'
import { startWorld, type World } from '../world-fixture.js'

let world: World
beforeAll(async () => {
  world = await startWorld({ maxUploadBytes: 300_000 })
})
afterAll(() => world[Symbol.asyncDispose]())

const hash = '0123456789abcdef'
beforeEach(() => {
  for (const project of ['u1', 'u2', 'u3'])
    world.neighbours.sessions.set(`s-${hash}-${project}`, aSession(hash, project))
})

function startOf(projectId: string, facts: Partial<UploadStart> = {}): UploadStart {
  return {
    idempotencyKey: 'k1',
    projectId,
    sessionId: `s-${hash}-${projectId}`,
    path: 'data/reads.csv',
    conflict: Conflict.CONFLICT_UNSPECIFIED,
    ...facts,
  }
}

async function* upload(
  start: UploadStart,
  ...pieces: readonly string[]
): AsyncGenerator<UploadFileRequest> {
  yield { part: { $case: 'start', value: start } }
  for (const piece of pieces) {
    await Promise.resolve()
    yield { part: { $case: 'content', value: Buffer.from(piece) } }
  }
}

describe('UploadFile', () => {
  test('S-52 content gets a place in the workspace and is an artifact at the entrance', async () => {
    const answer = await world.artifacts.uploadFile(upload(startOf('u1'), 'a,b\n', '1,2\n'))
    const digest = createHash('sha256').update('a,b\n1,2\n').digest('hex')
    expect(answer.file).toMatchObject({ path: 'data/reads.csv', digest, sizeBytes: 8n })
    expect(answer.artifact).toMatchObject({ name: 'data/reads.csv', origin: 'upload' })
    expect(answer.artifact).toMatchObject({ createdSessionTitle: 'session of u1' })
    expect(answer.artifact?.version).toMatchObject({ version: 1, digest, runId: '', callId: '' })
    const page = await world.artifacts.listArtifacts({
      projectId: 'u1',
      pageSize: 0,
      pageToken: '',
      minPosition: answer.position,
    })
    expect(page.artifacts.map(({ name }) => name)).toEqual(['data/reads.csv'])
  })

  test('X-12 the same key again is the same upload: one put, one version', async () => {
    const first = await world.artifacts.uploadFile(upload(startOf('u2'), 'one'))
    const puts = world.neighbours.puts.length
    const again = await world.artifacts.uploadFile(upload(startOf('u2'), 'one'))
    expect(again.artifact?.version).toEqual(first.artifact?.version)
    expect(world.neighbours.puts).toHaveLength(puts)
  })

  test.each([
    ['other content', {}, 'two'],
    ['another path', { path: 'data/other.csv' }, 'one'],
  ])(
    'X-12 the same key with %s is refused, and nothing is declared',
    async (_what, facts, text) => {
      const { version } =
        (await world.artifacts.uploadFile(upload(startOf('u2'), 'one'))).artifact ?? {}
      await expect(
        world.artifacts.uploadFile(upload(startOf('u2', facts), text)),
      ).rejects.toMatchObject({ code: 'already_exists', details: { field: 'idempotency_key' } })
      const again = await world.artifacts.uploadFile(upload(startOf('u2'), 'one'))
      expect(again.artifact?.version).toEqual(version)
    },
  )

  test('a rename gives the artifact the name that the file got', async () => {
    await world.artifacts.uploadFile(upload(startOf('u3'), 'one'))
    const renamed = startOf('u3', { idempotencyKey: 'k2', conflict: Conflict.CONFLICT_RENAME })
    const answer = await world.artifacts.uploadFile(upload(renamed, 'two'))
    expect(answer.artifact?.name).toBe('data/reads-1.csv')
  })

  test('the same name again is refused, or with overwrite the next version', async () => {
    const refusedUpload = upload(startOf('u1', { idempotencyKey: 'k3' }), 'x')
    await expect(world.artifacts.uploadFile(refusedUpload)).rejects.toMatchObject({
      code: 'already_exists',
    })
    const over = startOf('u1', { idempotencyKey: 'k4', conflict: Conflict.CONFLICT_OVERWRITE })
    const answer = await world.artifacts.uploadFile(upload(over, 'x'))
    expect(answer.artifact?.version?.version).toBe(2)
  })

  test('BR-087 a file over the limit is refused and the setting named', async () => {
    const pieces = Array.from({ length: 40 }, () => 'x'.repeat(10_000))
    const start = startOf('u1', { idempotencyKey: 'k5', path: 'large.bin' })
    await expect(world.artifacts.uploadFile(upload(start, ...pieces))).rejects.toMatchObject({
      code: 'exhausted',
      details: { field: 'content', reason: 'upload_too_large' },
    })
  })

  test('an empty file is a file', async () => {
    const start = startOf('u1', { idempotencyKey: 'k6', path: 'empty.txt' })
    const answer = await world.artifacts.uploadFile(upload(start))
    expect(answer.file?.sizeBytes).toBe(0n)
  })

  test('an archived session takes nothing', async () => {
    const archived = { ...aSession('f'.repeat(16), 'u1'), archivedAt: '2026-01-01T00:00:00Z' }
    world.neighbours.sessions.set(archived.sessionId, archived)
    const start = startOf('u1', { sessionId: archived.sessionId, idempotencyKey: 'k7' })
    await expect(world.artifacts.uploadFile(upload(start, 'x'))).rejects.toMatchObject({
      code: 'refused',
      details: { reason: 'session_archived', field: 'session_id' },
    })
  })

  test.each([
    [
      'a session of another project',
      { projectId: 'u2', sessionId: `s-${hash}-u1` },
      'not_found',
      undefined,
    ],
    ['an unknown session', { sessionId: `s-${'e'.repeat(16)}-u1` }, 'not_found', undefined],
    ['BR-037 a path that points outside', { path: '../evil.txt' }, 'invalid', 'path'],
    ['BR-065 a control character', { path: 'a\u0007b' }, 'invalid', 'path'],
    ['no key', { idempotencyKey: '' }, 'invalid', 'idempotency_key'],
    ['a bad project', { projectId: 'a.b' }, 'invalid', 'project_id'],
  ])('%s is refused', async (_what, facts, code, field) => {
    const start = { ...startOf('u1', { idempotencyKey: 'k8' }), ...facts }
    await expect(world.artifacts.uploadFile(upload(start, 'x'))).rejects.toMatchObject({
      code,
      ...(field && { details: { field } }),
    })
  })

  test('an upload that does not say first what it is, is refused', async () => {
    async function* headless(): AsyncGenerator<UploadFileRequest> {
      await Promise.resolve()
      yield { part: { $case: 'content', value: Buffer.from('x') } }
    }
    await expect(world.artifacts.uploadFile(headless())).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'start' },
    })
  })
})

describe('Diagnose', () => {
  test('names database, blobs and every view', async () => {
    const { service, findings } = await world.operations.diagnose({})
    expect(service).toBe('artifact-store')
    expect(findings.map(({ name }) => name)).toEqual([
      'database',
      'blob-store',
      'view:artifacts',
      'view:run_provenance',
      'view:provenance_uses',
      'view:workspace_provenance',
      'view:transfers',
    ])
    expect(findings.every(({ severity }) => severity === 1)).toBe(true)
  })
})

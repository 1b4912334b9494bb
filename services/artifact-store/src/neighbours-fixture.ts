import { type BlobStore } from '@sciencediscovery/blob-store'
import { type EventStore } from '@sciencediscovery/event-store'
import { notFound, PlatformError, refused } from '@sciencediscovery/kernel'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Session } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import {
  type PutFileRequest,
  type PutFileResponse,
  WorkspaceServiceService,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type WorkspaceChanged, workspaceSubject } from '@sciencediscovery/run-events'
import { createGrpcServer, createLogger, staticTokenAuth } from '@sciencediscovery/service-kit'
import { appendEvents } from './append-events-fixture.js'

/** The services that the artifact store asks, over the wire, with their state in the test's hands. */
export interface Neighbours extends AsyncDisposable {
  readonly address: string
  readonly sessions: Map<string, Session>
  /** How often content was really put: a repeated ask must not count. */
  readonly puts: PutFileRequest[]
}

export const token = 'token-of-the-test-0001'
const quiet = createLogger('test', { level: 'silent' })
const notHere = (): never => {
  throw new PlatformError('refused', 'not served in this test')
}

/** A session owner and a runner that keep to their contracts: keyed puts, conflicts, facts on the workspace's stream. */
export async function startNeighbours(store: EventStore, blobs: BlobStore): Promise<Neighbours> {
  const authenticate = staticTokenAuth([{ token, principal: { id: 'art', roles: ['service'] } }])
  const server = createGrpcServer({ host: '127.0.0.1', port: 0, authenticate, logger: quiet })
  const sessions = new Map<string, Session>()
  const puts: PutFileRequest[] = []
  const answers = new Map<string, { asked: string; answer: Promise<PutFileResponse> }>()
  server.add(SessionServiceService, {
    createSession: notHere,
    listSessions: notHere,
    updateSession: notHere,
    archiveSession: notHere,
    getSession: ({ sessionId }) => {
      const session = sessions.get(sessionId)
      return session ? Promise.resolve({ session }) : Promise.reject(notFound('session'))
    },
  })
  const files = new Map<string, string>()
  server.add(WorkspaceServiceService, {
    listFiles: notHere,
    globFiles: notHere,
    grepFiles: notHere,
    readFile: notHere,
    writeFile: notHere,
    editFile: notHere,
    resolveFiles: notHere,
    downloadFile: notHere,
    downloadArchive: notHere,
    listRunners: notHere,
    putFile: (request) => {
      const known = answers.get(request.effectKey)
      const asked = `${request.path} ${request.digest} ${request.conflict}`
      if (known && known.asked !== asked)
        throw refused('the effect key stands for another request', { reason: 'effect_key_reused' })
      const answer = known?.answer ?? put({ store, blobs, files, puts }, request)
      answers.set(request.effectKey, { asked, answer })
      return answer
    },
  })
  const { address } = await server.start()
  return { address, sessions, puts, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

interface Runner {
  readonly store: EventStore
  readonly blobs: BlobStore
  readonly files: Map<string, string>
  readonly puts: PutFileRequest[]
}

async function put(runner: Runner, request: PutFileRequest): Promise<PutFileResponse> {
  const { workspaceId, digest } = request
  runner.puts.push(request)
  const content = await runner.blobs.stat(digest)
  if (!content) throw refused('no such content')
  const path = freePath(runner.files, request)
  const before = runner.files.get(`${workspaceId}/${path}`)
  runner.files.set(`${workspaceId}/${path}`, digest)
  const data: WorkspaceChanged['data'] = {
    effectId: `put-${request.effectKey}`,
    callId: '',
    workspaceId,
    runnerId: request.runnerId,
    executionId: '',
    origin: request.origin,
    baseTree: null,
    tree: digest,
    created: before === undefined ? 1 : 0,
    modified: before === undefined ? 0 : 1,
    deleted: 0,
    changes: {
      items: [
        {
          path,
          change: before === undefined ? 'created' : 'modified',
          sha256: digest,
          ...(before === undefined ? {} : { previousSha256: before }),
        },
      ],
    },
    at: '2026-01-01T00:00:01.000Z',
  }
  const event = { type: 'workspace.changed', v: 1, data }
  await appendEvents(runner.store, workspaceSubject(workspaceId), [event])
  const file = { path, digest, sizeBytes: BigInt(content.sizeBytes), mediaType: 'text/csv' }
  return { file, effects: [] }
}

function freePath(files: ReadonlyMap<string, string>, request: PutFileRequest): string {
  const taken = files.has(`${request.workspaceId}/${request.path}`)
  if (!taken || request.conflict === Conflict.CONFLICT_OVERWRITE) return request.path
  if (request.conflict === Conflict.CONFLICT_RENAME)
    return request.path.replace(/(\.[^.]*)?$/, '-1$1')
  throw new PlatformError('already_exists', `${request.path} exists`, { field: 'path' })
}

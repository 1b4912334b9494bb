import { derivedId } from '@sciencediscovery/event-store'
import { PlatformError, invalid, isPlatformError, refused } from '@sciencediscovery/kernel'
import {
  type UploadFileRequest,
  type UploadFileResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { type ClientStream, withDeadline } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context, type PutOutcome, type SessionPlace, type UploadOrder } from '../context.js'
import { parseArtifactName, parseName } from '../domain/artifact/name.js'
import { declareVersion } from './declare-version.js'
import { KeySchema, parseRequest, ProjectSchema } from './parse-request.js'
import { type UploadParts, openUpload } from './upload-parts.js'

const StartSchema = z.object({
  idempotencyKey: KeySchema,
  projectId: ProjectSchema,
  sessionId: z.string().min(1, 'is missing'),
  path: z.string(),
  conflict: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)], {
    error: 'is not reject, overwrite or rename',
  }),
})
type Start = z.output<typeof StartSchema>

/** Placing a workspace and restoring it may come before the file is there. */
const putTimeoutMs = 60_000

/** UploadFile: content, then its place in the session's workspace, then an artifact at the entrance (S-52). Each step is keyed, so a repeated upload is one upload. */
export function uploadFile(ctx: Context): ClientStream<UploadFileRequest, UploadFileResponse> {
  return async (requests, call) => {
    const parts = await openUpload(requests)
    const start = parseRequest(StartSchema, parts.start)
    const path = parseName(start.path, 'path')
    const session = await openSession(ctx, start, call.signal)
    const { digest } = await store(ctx, parts)
    const order: UploadOrder = {
      effectKey: effectKeyOf(start, call.principal.id),
      projectId: start.projectId,
      sessionId: start.sessionId,
      workspaceId: session.workspaceId,
      path,
      digest,
      conflict: start.conflict,
    }
    const file = await put(ctx, order, call.signal)
    const { artifact, position } = await declareVersion(
      ctx,
      toDeclaration(order, session, file),
      call.signal,
    )
    return { artifact, file, position }
  }
}

/** A key belongs to its session, as the workspace does. */
function effectKeyOf({ projectId, sessionId, idempotencyKey }: Start, principalId: string): string {
  return derivedId('upload-', projectId, sessionId, principalId, idempotencyKey)
}

/** The workspace keeps what was asked for under the key. */
async function put(
  ctx: Context,
  order: UploadOrder,
  signal: AbortSignal,
): Promise<PutOutcome['file']> {
  try {
    return (await ctx.files.put(order, withDeadline(signal, putTimeoutMs))).file
  } catch (error) {
    if (!isPlatformError(error) || error.details.reason !== 'effect_key_reused') throw error
    throw new PlatformError('already_exists', 'idempotency_key: was used for another upload', {
      field: 'idempotency_key',
      reason: 'idempotency_key_reused',
      remedy: 'send a new key with a new upload, or the same upload again',
      cause: error,
    })
  }
}

async function openSession(ctx: Context, start: Start, signal: AbortSignal): Promise<SessionPlace> {
  const session = await ctx.sessions.find(start.projectId, start.sessionId, signal)
  if (session.archivedAt === '') return session
  throw refused(`session ${start.sessionId} was archived at ${session.archivedAt}`, {
    reason: 'session_archived',
    field: 'session_id',
    remedy: 'upload into a session that is in use',
  })
}

async function store(ctx: Context, parts: UploadParts): Promise<{ readonly digest: string }> {
  try {
    return await ctx.blobs.putStream(parts.content, { maxBytes: ctx.maxUploadBytes })
  } catch (error) {
    if (!isPlatformError(error) || error.code !== 'exhausted') throw error
    throw new PlatformError('exhausted', `content: is larger than ${ctx.maxUploadBytes} bytes`, {
      field: 'content',
      reason: 'upload_too_large',
      remedy: 'upload a smaller file, or raise SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_FILE_BYTES',
      cause: error,
    })
  }
}

function toDeclaration(
  order: UploadOrder,
  session: SessionPlace,
  file: UploadFileResponse['file'],
): Parameters<typeof declareVersion>[1] {
  if (!file) throw invalid('file', 'is missing in the answer of the workspace')
  const { projectId, sessionId, workspaceId } = order
  return {
    effectKey: order.effectKey,
    actor: { projectId, sessionId, runId: '', agentId: '', callId: '' },
    workspaceId,
    file: { ...file, sizeBytes: Number(file.sizeBytes) },
    // After a rename the file has another path than the one that was asked for.
    target: { kind: 'named', name: parseArtifactName(file.path, 'file.path') },
    description: '',
    origin: 'upload',
    sessionTitle: session.title,
  }
}

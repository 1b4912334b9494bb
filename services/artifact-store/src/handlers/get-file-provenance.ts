import { isPlatformError } from '@sciencediscovery/kernel'
import {
  type GetFileProvenanceRequest,
  type GetFileProvenanceResponse,
} from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context, type ViewName } from '../context.js'
import { parseName } from '../domain/artifact/name.js'
import { versionsFromFile } from '../projections/artifact-queries.js'
import { findSubject } from './find-subject.js'
import { parseRequest, ProjectSchema } from './parse-request.js'
import { provenanceDetails } from './provenance-details.js'
import { sessionState } from './session-state.js'
import { traceUpstream } from './trace-upstream.js'

const RequestSchema = z.object({
  projectId: ProjectSchema,
  sessionId: z.string(),
  agentId: z.string(),
  pathOrArtifact: z.string(),
  version: z.number().int().nonnegative('is below 1; 0 means the newest'),
  minPosition: z.string(),
})

/** GetFileProvenance: how a file or an artifact version came to be (S-03). */
export function getFileProvenance(
  ctx: Context,
): Unary<GetFileProvenanceRequest, GetFileProvenanceResponse> {
  return async (request, { signal }) => {
    const asked = parseRequest(RequestSchema, request)
    const path = parseName(asked.pathOrArtifact, 'path_or_artifact')
    const behind = await catchUp(ctx, asked.minPosition, signal)
    const subject = await findSubject(ctx, { ...asked, path })
    const { place, sessionId } = subject
    const [upstream, versions, session] = await Promise.all([
      subject.revision ? traceUpstream(ctx, subject.revision) : { steps: [], truncated: false },
      versionsFromFile(ctx.db, place.workspaceId, place.path),
      sessionState(ctx, asked.projectId, sessionId, signal),
    ])
    const details = provenanceDetails({ subject, upstream, versions, session, behind })
    return { detailsJson: JSON.stringify(details) }
  }
}

/** What the runs say must be there; a view of other streams that is behind is named in the answer. */
async function catchUp(
  ctx: Context,
  minPosition: string,
  signal: AbortSignal,
): Promise<readonly ViewName[]> {
  const others = ['artifacts', 'workspace_provenance'] as const
  const [behind] = await Promise.all([
    Promise.all(others.map((view) => behindOrNot(ctx, view, minPosition, signal))),
    ctx.views.catchUp('run_provenance', minPosition, signal),
  ])
  return behind.flat()
}

async function behindOrNot(
  ctx: Context,
  view: ViewName,
  minPosition: string,
  signal: AbortSignal,
): Promise<readonly ViewName[]> {
  try {
    await ctx.views.catchUp(view, minPosition, signal)
    return []
  } catch (error) {
    if (isPlatformError(error) && error.code === 'unavailable') return [view]
    throw error
  }
}

import {
  type GetFileProvenanceRequest,
  type GetFileProvenanceResponse,
} from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { parseName } from '../domain/artifact/name.js'
import { modelsOfRuns } from '../projections/uses-queries.js'
import { findBreaks } from './find-breaks.js'
import { findSubject } from './find-subject.js'
import { linkedVersions } from './linked-versions.js'
import { DigestSchema, parseRequest, ProjectSchema } from './parse-request.js'
import { provenanceCaughtUp } from './provenance-caught-up.js'
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
  maxHops: z.number().int().min(1, 'is below 1').max(64, 'is above 64').optional(),
  sha256: DigestSchema.optional(),
})

/** GetFileProvenance: how a file or an artifact version came to be (S-03). */
export function getFileProvenance(
  ctx: Context,
): Unary<GetFileProvenanceRequest, GetFileProvenanceResponse> {
  return async (request, { signal }) => {
    const asked = parseRequest(RequestSchema, request)
    const path = parseName(asked.pathOrArtifact, 'path_or_artifact')
    const behind = await provenanceCaughtUp(ctx, asked.minPosition, signal)
    const subject = await findSubject(ctx, { ...asked, path, sha256: asked.sha256 ?? '' })
    const { revision, sessionId } = subject
    const [upstream, versions, session] = await Promise.all([
      revision ? traceUpstream(ctx, revision, asked.maxHops) : { steps: [], truncated: false },
      linkedVersions(ctx, subject),
      sessionState(ctx, asked.projectId, sessionId, signal),
    ])
    const told = { subject, upstream, versions, session, behind }
    const [breaks, models] = await Promise.all([
      findBreaks(ctx, told),
      modelsOfRuns(ctx.db, [...new Set(upstream.steps.map(({ activity }) => activity.runId))]),
    ])
    const details = provenanceDetails({ ...told, breaks, models })
    return { detailsJson: JSON.stringify(details) }
  }
}

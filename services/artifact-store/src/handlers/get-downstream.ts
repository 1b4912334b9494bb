import { invalid } from '@sciencediscovery/kernel'
import {
  type GetDownstreamRequest,
  type GetDownstreamResponse,
} from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { parseName } from '../domain/artifact/name.js'
import { type UsePlace } from '../projections/uses-queries.js'
import { downstreamDetails } from './downstream-details.js'
import { findSubject } from './find-subject.js'
import { DigestSchema, pageSizeOf, parseRequest, ProjectSchema } from './parse-request.js'
import { possibleUses } from './possible-uses.js'
import { provenanceCaughtUp } from './provenance-caught-up.js'
import { sessionState } from './session-state.js'
import { traceDownstream } from './trace-downstream.js'
import { versionsOf } from './versions-of.js'

const RequestSchema = z.object({
  projectId: ProjectSchema,
  sessionId: z.string(),
  agentId: z.string(),
  pathOrArtifact: z.string(),
  version: z.number().int().nonnegative('is below 1; 0 means the newest'),
  sha256: z.literal('').or(DigestSchema),
  pageSize: z.number(),
  pageToken: z.string(),
  minPosition: z.string(),
})
const largestPage = 100

/** GetDownstream: what used a content, in pages of direct uses; what came of those is told with them. */
export function getDownstream(ctx: Context): Unary<GetDownstreamRequest, GetDownstreamResponse> {
  return async (request, { signal }) => {
    const asked = parseRequest(RequestSchema, request)
    const path = parseName(asked.pathOrArtifact, 'path_or_artifact')
    const size = pageSizeOf(asked.pageSize, largestPage, 'page_size')
    const after = asked.pageToken === '' ? undefined : placeOfToken(asked.pageToken)
    const behind = await provenanceCaughtUp(ctx, asked.minPosition, signal)
    const subject = await findSubject(ctx, { ...asked, path })
    const { revision, sessionId } = subject
    const session = await sessionState(ctx, asked.projectId, sessionId, signal)
    const downstream = revision
      ? await traceDownstream(ctx, revision, { after, size })
      : { steps: [], truncated: false, onlyPossible: [], next: undefined }
    const [versions, possible] = await Promise.all([
      versionsOf(ctx, revision, downstream),
      possibleUses(ctx, subject, after === undefined),
    ])
    const findings = { subject, session, downstream, versions, possible, behind }
    return {
      detailsJson: JSON.stringify(downstreamDetails(findings)),
      nextPageToken: downstream.next ? tokenOfPlace(downstream.next) : '',
    }
  }
}

function tokenOfPlace(place: UsePlace): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

const maxTokenChars = 2_000
const TokenSchema = z.strictObject({ startedAt: z.string(), effectId: z.string() })

function placeOfToken(token: string): UsePlace {
  try {
    if (token.length > maxTokenChars) throw new RangeError('too long')
    return TokenSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString()))
  } catch {
    throw invalid(
      'page_token',
      'is not one of this service',
      'send next_page_token of the page before',
    )
  }
}

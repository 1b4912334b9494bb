import { invalid } from '@sciencediscovery/kernel'
import {
  type ListArtifactsRequest,
  type ListArtifactsResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { artifactsByName } from '../projections/artifact-queries.js'
import { pageSizeOf, parseRequest, ProjectSchema } from './parse-request.js'
import { toArtifactOfRow } from './to-artifact.js'

const RequestSchema = z.object({
  projectId: ProjectSchema,
  pageSize: z.number(),
  pageToken: z.string(),
  minPosition: z.string(),
})
const largestPage = 200

/** ListArtifacts: all artifacts of a project by name, across sessions (S-04). */
export function listArtifacts(ctx: Context): Unary<ListArtifactsRequest, ListArtifactsResponse> {
  return async (request, call) => {
    const asked = parseRequest(RequestSchema, request)
    const pageSize = pageSizeOf(asked.pageSize, largestPage, 'page_size')
    const after = asked.pageToken === '' ? undefined : nameOfToken(asked.pageToken)
    await ctx.views.catchUp('artifacts', asked.minPosition, call.signal)
    const rows = await artifactsByName(ctx.db, asked.projectId, after, pageSize + 1)
    const page = rows.slice(0, pageSize)
    const last = rows.length > pageSize ? page.at(-1) : undefined
    return {
      artifacts: page.map(toArtifactOfRow),
      nextPageToken: last === undefined ? '' : tokenOfName(last.name),
    }
  }
}

function tokenOfName(name: string): string {
  return Buffer.from(JSON.stringify({ after: name })).toString('base64url')
}

const maxTokenChars = 20_000
const TokenSchema = z.object({ after: z.string().max(10_000) })

function nameOfToken(token: string): string {
  try {
    if (token.length > maxTokenChars) throw new RangeError('too long')
    return TokenSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString())).after
  } catch {
    throw invalid(
      'page_token',
      'is not one of this service',
      'send next_page_token of the page before',
    )
  }
}

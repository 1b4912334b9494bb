import { invalid } from '@sciencediscovery/kernel'
import {
  type ReadArtifactRequest,
  type ReadArtifactResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { findVersion, VersionSchema } from './find-version.js'
import { CountSchema, parseRequest } from './parse-request.js'
import { readTextPage } from './read-text-page.js'
import { toArtifactOfRow } from './to-artifact.js'

const RequestSchema = VersionSchema.extend({
  offset: CountSchema,
  limit: z.number().int(),
  charOffset: CountSchema,
})
const defaultLimit = 2000
const largestLimit = 10_000

/** ReadArtifact: a page of a text version; a binary one gives media type and size only (S-05). */
export function readArtifact(ctx: Context): Unary<ReadArtifactRequest, ReadArtifactResponse> {
  return async (request, call) => {
    const asked = parseRequest(RequestSchema, request)
    const range = {
      offset: asked.offset === 0 ? 1 : asked.offset,
      limit: limitOf(asked.limit),
      charOffset: asked.charOffset,
    }
    const row = await findVersion(ctx, asked, call.signal)
    const page = await readTextPage(ctx.blobs, row.sha256, range, call.signal)
    return {
      artifact: toArtifactOfRow(row),
      page: { ...page, mediaType: row.media_type, sizeBytes: BigInt(row.size_bytes) },
    }
  }
}

function limitOf(asked: number): number {
  if (asked === 0) return defaultLimit
  if (asked >= 1 && asked <= largestLimit) return asked
  throw invalid('limit', `is not 1 to ${largestLimit}`, `send 1 to ${largestLimit} lines`)
}

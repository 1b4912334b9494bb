import { notFound } from '@sciencediscovery/kernel'
import {
  type DownloadRevisionRequest,
  type DownloadRevisionResponse,
} from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { type ServerStream } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { contentOfRevision } from '../projections/uses-queries.js'
import { parseRequest, ProjectSchema } from './parse-request.js'

const pieceBytes = 256 * 1024
const RequestSchema = z.object({
  projectId: ProjectSchema,
  revisionId: z.string().regex(/^rev-[0-9a-f]{32}$/, 'is not the id of a recorded revision'),
})

/** DownloadRevision: the bytes of a recorded revision of the project; the revision is the pointer to them. */
export function downloadRevision(
  ctx: Context,
): ServerStream<DownloadRevisionRequest, DownloadRevisionResponse> {
  return async function* (request, { signal }) {
    const { projectId, revisionId } = parseRequest(RequestSchema, request)
    const digest = await contentOfRevision(ctx.db, projectId, revisionId)
    if (digest === undefined) throw notFound(`revision ${revisionId}`)
    for await (const read of ctx.blobs.read(digest)) {
      signal.throwIfAborted()
      for (let at = 0; at < read.length; at += pieceBytes)
        yield { content: Buffer.from(read.subarray(at, at + pieceBytes)) }
    }
  }
}

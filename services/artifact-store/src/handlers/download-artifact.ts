import {
  type DownloadArtifactRequest,
  type DownloadArtifactResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { type ServerStream } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { findVersion, VersionSchema } from './find-version.js'
import { parseRequest } from './parse-request.js'

const pieceBytes = 256 * 1024

/** DownloadArtifact: the bytes of a version, in order. */
export function downloadArtifact(
  ctx: Context,
): ServerStream<DownloadArtifactRequest, DownloadArtifactResponse> {
  return async function* (request, call) {
    const asked = parseRequest(VersionSchema, request)
    const { sha256 } = await findVersion(ctx, asked, call.signal)
    for await (const read of ctx.blobs.read(sha256)) {
      for (let at = 0; at < read.length; at += pieceBytes)
        yield { content: Buffer.from(read.subarray(at, at + pieceBytes)) }
    }
  }
}

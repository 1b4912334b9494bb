import {
  type DownloadFileRequest,
  type DownloadFileResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type ServerStream } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { filesPlace } from './files-place.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { fileField } from './path-field.js'

const RequestSchema = z.strictObject({ ...fileRequestShape, path: fileField })

/** Sends the bytes of one file. */
export function downloadFile(
  ctx: Context,
  way: Way,
): ServerStream<DownloadFileRequest, DownloadFileResponse> {
  return async function* (message, call) {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { workspaceId, path } = request
    yield* await onOwner<AsyncIterable<DownloadFileResponse>>(ctx, {
      ...{ workspaceId, call, way },
      local: (owned) =>
        Promise.resolve(toMessages(ctx.machine.files.read(filesPlace(owned), path))),
      forward: (address, signal) =>
        Promise.resolve(ctx.peers.files(address).downloadFile(message, { signal })),
    })
  }
}

async function* toMessages(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<DownloadFileResponse> {
  for await (const chunk of chunks) yield { content: Buffer.from(chunk) }
}

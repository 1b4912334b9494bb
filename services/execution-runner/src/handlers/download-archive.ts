import {
  type DownloadArchiveRequest,
  type DownloadArchiveResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type ServerStream } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { checkPlace, parseRequest } from './parse-request.js'

const RequestSchema = z.strictObject(fileRequestShape)

/** Sends the last snapshot: any replica has it from the blob store, and nothing changes in it meanwhile. */
export function downloadArchive(
  ctx: Context,
): ServerStream<DownloadArchiveRequest, DownloadArchiveResponse> {
  return async function* (message, { signal }) {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { state } = await ctx.workspaces.load(workspaceSubject(request.workspaceId))
    const { tree } = state.snapshot
    const at = new Date(ctx.here.clock())
    for await (const content of ctx.machine.snapshots.archive({ tree, at, signal }))
      yield { content: Buffer.from(content) }
  }
}

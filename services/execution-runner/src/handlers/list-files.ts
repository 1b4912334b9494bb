import {
  type ListFilesRequest,
  type ListFilesResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type FileListing } from '../workspace-files.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { filesPlace } from './files-place.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { placeField } from './path-field.js'

/** Entries of one page at most. */
export const mostEntries = 500

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  path: placeField,
  recursive: z.boolean(),
  limit: z.number().int().min(0, 'send 1 to 500').max(mostEntries, 'send 1 to 500'),
  after: z.string().max(5_000),
})

/** The files as they are on disk now, by path; links are left out. */
export function listFiles(ctx: Context, way: Way): Unary<ListFilesRequest, ListFilesResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { workspaceId, path, recursive, after } = request
    const limit = request.limit === 0 ? mostEntries : request.limit
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: async (owned) => {
        const directory = await ctx.machine.files.directoryPath(filesPlace(owned), path)
        const listing = await owned.snapshots.list(directory, { recursive, limit, after })
        return { ...toEntries(listing), uncommitted: owned.live !== undefined }
      },
      forward: (address, signal) => ctx.peers.files(address).listFiles(message, { signal }),
    })
  }
}

/** A listing as it is sent. */
export function toEntries({
  files,
  total,
  truncated,
}: FileListing): Omit<ListFilesResponse, 'uncommitted'> {
  return {
    files: files.map(({ modifiedAtMs, sizeBytes, ...file }) => ({
      ...file,
      sizeBytes: BigInt(sizeBytes),
      modifiedAt: new Date(modifiedAtMs).toISOString(),
    })),
    total: BigInt(total),
    truncated,
  }
}

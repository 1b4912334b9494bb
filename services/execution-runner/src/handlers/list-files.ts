import {
  type ListFilesRequest,
  type ListFilesResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { filesPlace } from './files-place.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { placeField } from './path-field.js'

const most = 500

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  path: placeField,
  recursive: z.boolean(),
  limit: z.number().int().min(0, 'send 1 to 500').max(most, 'send 1 to 500'),
})

/** The files as they are on disk now, by path; links are left out. */
export function listFiles(ctx: Context, way: Way): Unary<ListFilesRequest, ListFilesResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { workspaceId, path, recursive } = request
    const limit = request.limit === 0 ? most : request.limit
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: async (owned) => {
        const directory = await ctx.machine.files.directoryPath(filesPlace(owned), path)
        const listing = await owned.snapshots.list(directory, { recursive, limit })
        const files = listing.files.map(({ modifiedAtMs, sizeBytes, ...file }) => ({
          ...file,
          sizeBytes: BigInt(sizeBytes),
          modifiedAt: new Date(modifiedAtMs).toISOString(),
        }))
        return {
          files,
          truncated: listing.total > files.length,
          total: BigInt(listing.total),
          uncommitted: owned.live !== undefined,
        }
      },
      forward: (address, signal) => ctx.peers.files(address).listFiles(message, { signal }),
    })
  }
}

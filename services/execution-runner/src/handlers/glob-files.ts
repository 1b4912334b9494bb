import {
  type GlobFilesRequest,
  type GlobFilesResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { filesPlace } from './files-place.js'
import { mostEntries, toEntries } from './list-files.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { placeField } from './path-field.js'

/** A glob that stays below its directory. */
export const globField = z
  .string()
  .max(1_000, 'is longer than 1000 characters')
  .refine((glob) => !glob.includes('\0'), 'holds NUL; send it without')
  .refine(
    (glob) => !glob.split('/').includes('..'),
    "leads out with '..'; name the directory in path",
  )
  .transform((glob) => glob.replace(/^(?:\/workspace\/|\.\/)+/, ''))

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  pattern: globField.refine((glob) => glob !== '', 'is empty; send a glob such as **/*.csv'),
  path: placeField,
  limit: z.number().int().min(0, 'send 1 to 500').max(mostEntries, 'send 1 to 500'),
  after: z.string().max(5_000),
})

/** Files whose path fits a pattern, as they are on disk now; links are left out (H-05). */
export function globFiles(ctx: Context, way: Way): Unary<GlobFilesRequest, GlobFilesResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { workspaceId, pattern, after } = request
    const limit = request.limit === 0 ? mostEntries : request.limit
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: async (owned) => {
        const place = filesPlace(owned)
        const { files } = ctx.machine
        const path = await files.directoryPath(place, request.path)
        const listing = await files.glob(place, { path, pattern, limit, after }, call.signal)
        return { ...toEntries(listing), uncommitted: owned.live !== undefined }
      },
      forward: (address, signal) => ctx.peers.files(address).globFiles(message, { signal }),
    })
  }
}

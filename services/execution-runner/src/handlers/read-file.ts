import {
  type ReadFileRequest,
  type ReadFileResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type TextPage } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { spellingOf } from '../domain/path/look-alike.js'
import { type FilePage } from '../workspace-files.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { filesPlace } from './files-place.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest, sizeNumber } from './parse-request.js'
import { fileField } from './path-field.js'

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  path: fileField,
  offset: sizeNumber.refine((offset) => offset >= 1, 'counts from 1'),
  limit: z.number().int().min(0, 'send 1 to 10000').max(10_000, 'send 1 to 10000'),
  charOffset: sizeNumber,
})

const defaultLimit = 2_000

/** A page of a text file as it is on disk now. */
export function readFile(ctx: Context, way: Way): Unary<ReadFileRequest, ReadFileResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { workspaceId, path, offset, charOffset } = request
    const limit = request.limit === 0 ? defaultLimit : request.limit
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: async (owned) => {
        const range = { offset, limit, charOffset }
        const page = await ctx.machine.files.readPage(filesPlace(owned), path, range)
        return {
          page: toTextPage(page),
          uncommitted: owned.live !== undefined,
          path: page.path,
          spelling: spellingOf(page.path, path),
        }
      },
      forward: (address, signal) => ctx.peers.files(address).readFile(message, { signal }),
    })
  }
}

function toTextPage(page: FilePage): TextPage {
  const { content, binary, mediaType, hasMore, partialLine, encoding } = page
  return {
    ...{ content, binary, mediaType, hasMore, partialLine, encoding },
    sizeBytes: BigInt(page.sizeBytes),
    startLine: BigInt(page.startLine),
    endLine: BigInt(page.endLine),
    totalLines: BigInt(page.totalLines),
    nextOffset: BigInt(page.nextOffset),
    nextCharOffset: BigInt(page.nextCharOffset),
  }
}

import { invalid } from '@sciencediscovery/kernel'
import {
  type GrepFilesRequest,
  type GrepFilesResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'
import { type GrepFindings } from '../workspace-files.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { filesPlace } from './files-place.js'
import { globField } from './glob-files.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest, sizeNumber } from './parse-request.js'
import { placeField } from './path-field.js'

const most = 500
const usual = 200

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  pattern: z
    .string()
    .min(1, 'is empty; send what to look for')
    .max(4_096, 'is longer than 4096 characters')
    .refine(
      (text) => !/[\n\0]/.test(text),
      'holds a line end or NUL; lines are searched one by one',
    ),
  regex: z.boolean(),
  ignoreCase: z.boolean(),
  path: placeField,
  glob: globField,
  limit: z.number().int().min(0, 'send 1 to 500').max(most, 'send 1 to 500'),
  after: z
    .strictObject({ path: z.string().max(5_000), line: sizeNumber })
    .optional()
    .transform((after) => after ?? { path: '', line: 0 }),
})
type GrepRequest = z.output<typeof RequestSchema>

/** Lines of text files that have a text, as they are on disk now (H-04). */
export function grepFiles(ctx: Context, way: Way): Unary<GrepFilesRequest, GrepFilesResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    return onOwner(ctx, {
      ...{ workspaceId: request.workspaceId, call, way },
      local: async (owned) => {
        const found = await grep(ctx, owned, request, call.signal)
        return toResponse(found, owned.live !== undefined, ctx.machine.files.maxSearchedFileBytes)
      },
      forward: (address, signal) => ctx.peers.files(address).grepFiles(message, { signal }),
    })
  }
}

async function grep(
  ctx: Context,
  owned: OwnedWorkspace,
  request: GrepRequest,
  signal: AbortSignal,
): Promise<GrepFindings> {
  const { pattern, regex, ignoreCase, glob, after } = request
  const place = filesPlace(owned)
  const at = await ctx.machine.files.locate(place, request.path)
  if (at.kind === 'other') throw invalid('path', `${at.path} is no file and no directory`)
  const limit = request.limit === 0 ? usual : request.limit
  const order = { at, pattern, regex, ignoreCase, glob, limit, after }
  return ctx.machine.files.grep(place, order, signal)
}

function toResponse(
  { hits, total, truncated, tooLarge }: GrepFindings,
  uncommitted: boolean,
  maxFileBytes: number,
): GrepFilesResponse {
  return {
    hits: hits.map((hit) => ({ ...hit, line: BigInt(hit.line), column: BigInt(hit.column) })),
    total: BigInt(total),
    truncated,
    tooLarge: BigInt(tooLarge),
    maxFileBytes: BigInt(maxFileBytes),
    uncommitted,
  }
}

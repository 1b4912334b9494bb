import {
  type PutFileRequest,
  type PutFileResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type HandlerContext } from '../context.js'
import { commitFile, digestOfRequest } from './commit-file.js'
import { effectKeyField, fileRequestShape, placeOf } from './file-request.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { fileField } from './path-field.js'
import { conflictField } from './write-file.js'

const origins = ['upload', 'mcp-download', 'transfer', 'subagent'] as const

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  effectKey: effectKeyField,
  path: fileField,
  digest: z.string().regex(/^[0-9a-f]{64}$/, 'send a SHA-256 in lower-case hex'),
  conflict: conflictField,
  origin: z.enum(origins, `send one of ${origins.join(', ')}`),
})

/** Puts stored content at a path. */
export function putFile(ctx: HandlerContext, way: Way): Unary<PutFileRequest, PutFileResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { effectKey, actor, path, digest, conflict, origin, workspaceId } = request
    const requestDigest = digestOfRequest(['put', path, digest, conflict, origin])
    const work = { kind: 'write', path, conflict, content: { digest } } as const
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: (owned) => {
        const order = { effectKey, actor, requestDigest, origin, work }
        return commitFile(ctx, owned, order, call.signal)
      },
      forward: (address, signal) => ctx.peers.files(address).putFile(message, { signal }),
    })
  }
}

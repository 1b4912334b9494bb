import {
  type WriteFileRequest,
  type WriteFileResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type HandlerContext } from '../context.js'
import { type ConflictPolicy } from '../workspace-files.js'
import { commitFile, digestOfRequest } from './commit-file.js'
import { effectKeyField, fileRequestShape, placeOf } from './file-request.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { fileField } from './path-field.js'

/** What to do with a file that is there. */
export const conflictField = z.enum(Conflict, 'is not a known choice').transform(toPolicy)

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  effectKey: effectKeyField,
  path: fileField,
  content: z.instanceof(Uint8Array),
  conflict: conflictField,
})

/** Writes a whole file, byte for byte as it was sent. */
export function writeFile(
  ctx: HandlerContext,
  way: Way,
): Unary<WriteFileRequest, WriteFileResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { effectKey, actor, path, content, conflict, workspaceId } = request
    const requestDigest = digestOfRequest(['write', path, conflict, content])
    const work = { kind: 'write', path, conflict, content: { bytes: content } } as const
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: (owned) => {
        const order = { effectKey, actor, requestDigest, origin: 'agent', work }
        return commitFile(ctx, owned, order, call.signal)
      },
      forward: (address, signal) => ctx.peers.files(address).writeFile(message, { signal }),
    })
  }
}

function toPolicy(conflict: Conflict): ConflictPolicy {
  switch (conflict) {
    case Conflict.CONFLICT_UNSPECIFIED:
    case Conflict.CONFLICT_REJECT:
      return 'reject'
    case Conflict.CONFLICT_OVERWRITE:
      return 'overwrite'
    case Conflict.CONFLICT_RENAME:
      return 'rename'
  }
}

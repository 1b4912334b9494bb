import {
  type EditFileRequest,
  type EditFileResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type HandlerContext } from '../context.js'
import { commitFile, digestOfRequest } from './commit-file.js'
import { effectKeyField, fileRequestShape, placeOf } from './file-request.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { fileField } from './path-field.js'

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  effectKey: effectKeyField,
  path: fileField,
  oldString: z.string().min(1, 'send the text to replace'),
  newString: z.string(),
  replaceAll: z.boolean(),
})

/** Replaces text in a file, keeping every byte that it does not touch (H-03). */
export function editFile(ctx: HandlerContext, way: Way): Unary<EditFileRequest, EditFileResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { effectKey, actor, path, workspaceId, oldString, newString, replaceAll } = request
    const requestDigest = digestOfRequest(['edit', path, oldString, newString, String(replaceAll)])
    const work = {
      ...({ kind: 'edit', path, oldText: oldString, newText: newString } as const),
      all: replaceAll,
    }
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: (owned) => {
        const order = { effectKey, actor, requestDigest, origin: 'agent', work }
        return commitFile(ctx, owned, order, call.signal)
      },
      forward: (address, signal) => ctx.peers.files(address).editFile(message, { signal }),
    })
  }
}

import {
  type ResolvedFile,
  type ResolveFilesRequest,
  type ResolveFilesResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { isPlatformError } from '@sciencediscovery/kernel'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { spellingOf } from '../domain/path/look-alike.js'
import { parseFilePath } from '../domain/path/workspace-path.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'
import { fileRequestShape, placeOf } from './file-request.js'
import { filesPlace } from './files-place.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'

const RequestSchema = z.strictObject({
  ...fileRequestShape,
  paths: z.array(z.string().max(4_096)).min(1, 'send 1 to 50 paths').max(50, 'send 1 to 50 paths'),
  asCommitted: z.boolean().optional(),
})

/** The committed content of files. A bad path spoils only its own answer. */
export function resolveFiles(
  ctx: Context,
  way: Way,
): Unary<ResolveFilesRequest, ResolveFilesResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(placeOf(request), ctx.here.pool)
    const { workspaceId, paths, asCommitted = false } = request
    const resolveOne = asCommitted ? resolveCommitted : resolve
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: async (owned) => ({
        files: await Promise.all(paths.map((path) => resolveOne(ctx, owned, path))),
      }),
      forward: (address, signal) => ctx.peers.files(address).resolveFiles(message, { signal }),
    })
  }
}

async function resolve(ctx: Context, owned: OwnedWorkspace, asked: string): Promise<ResolvedFile> {
  try {
    const path = await pathOnDisk(ctx, owned, parseFilePath('path', asked))
    const [entry] = await owned.snapshots.committed([path])
    if (!entry || 'error' in entry) return unresolved(asked, entry?.error ?? 'not found')
    const { digest, sizeBytes } = entry
    const mediaType = await ctx.machine.files.mediaType(filesPlace(owned), path)
    const file = { path, digest, sizeBytes: BigInt(sizeBytes), mediaType }
    return { path: asked, file, error: '' }
  } catch (error) {
    if (!isPlatformError(error)) throw error
    return unresolved(asked, error.message)
  }
}

/** What the last snapshot has, whatever a process is doing to the file by now: copies never see half of it (S-12). */
async function resolveCommitted(
  ctx: Context,
  owned: OwnedWorkspace,
  asked: string,
): Promise<ResolvedFile> {
  try {
    const path = parseFilePath('path', asked)
    const [entry] = await owned.snapshots.committed([path], { asCommitted: true })
    if (!entry || 'error' in entry) return await resolve(ctx, owned, asked)
    const { digest, sizeBytes } = entry
    const file = { path, digest, sizeBytes: BigInt(sizeBytes), mediaType: '' }
    return { path: asked, file, error: '' }
  } catch (error) {
    if (!isPlatformError(error)) throw error
    return unresolved(asked, error.message)
  }
}

/** As the name is spelled on disk where it only looks like the one asked for (BR-017); links stay links. */
async function pathOnDisk(ctx: Context, owned: OwnedWorkspace, path: string): Promise<string> {
  const { path: found } = await ctx.machine.files.locate(filesPlace(owned), path)
  return spellingOf(found, path) === '' ? path : found
}

function unresolved(path: string, error: string): ResolvedFile {
  return { path, file: undefined, error }
}

import { isPlatformError } from '@sciencediscovery/kernel'
import { type DeclareArtifactResponse } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { type CommittedFile } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type ResolvedFile } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type ToolEffect, type ToolFailure, type ToolResult } from '@sciencediscovery/tool-kit'
import { errorResult, failureOf } from '@sciencediscovery/tool-kit'
import { type ToolCall } from '../tool-call.js'
import { type ArtifactRecord, toArtifact } from './artifact.js'
import { actorOf, effectKeyOf, workspaceOf } from './place.js'

/** What is said of each file beside its path; empty means not said. */
export interface DeclareOptions {
  readonly name: string
  readonly description: string
  readonly artifactId: string
  readonly baseVersionId: string
}

/** What became of one file. */
export type Declared =
  | {
      readonly ok: true
      readonly path: string
      readonly artifact: ArtifactRecord
      readonly effects: readonly ToolEffect[]
      readonly position: string
    }
  | { readonly ok: false; readonly path: string; readonly failure: ToolResult<ToolFailure> }

/**
 * Declares each file, in order: versions follow the order of the paths, and a path that stands there
 * twice is one effect. A file that cannot be declared stops none of the others.
 */
export async function declareEach(
  call: ToolCall,
  paths: readonly string[],
  options: DeclareOptions,
): Promise<readonly Declared[]> {
  const { workspaceId, runnerId } = workspaceOf(call)
  const request = { actor: actorOf(call), workspaceId, runnerId, paths: [...paths] }
  const resolved = await call.files.resolveFiles(request, { signal: call.signal })
  const declared: Declared[] = []
  for (const [at, path] of paths.entries()) {
    declared.push(await declareOne(call, path, resolved.files[at], options))
  }
  return declared
}

async function declareOne(
  call: ToolCall,
  path: string,
  resolved: ResolvedFile | undefined,
  options: DeclareOptions,
): Promise<Declared> {
  const file = resolved?.file
  if (!file) return { ok: false, path, failure: notResolved(path, resolved?.error ?? '') }
  try {
    const { artifact, effects, position } = await declare(call, file, options)
    return { ok: true, path, artifact: toArtifact(artifact), effects, position }
  } catch (error) {
    const failure = isPlatformError(error) ? failureOf(error) : undefined
    if (!failure) throw error
    return { ok: false, path, failure }
  }
}

function notResolved(path: string, error: string): ToolResult<ToolFailure> {
  const message = error === '' ? `${path} not found in the workspace` : error
  const named = message.includes(path) ? message : `${path}: ${message}`
  return errorResult({ code: 'FILE_NOT_DECLARABLE', message: named })
}

function declare(
  call: ToolCall,
  file: CommittedFile,
  options: DeclareOptions,
): Promise<DeclareArtifactResponse> {
  const request = {
    effectKey: effectKeyOf(call, file.path),
    actor: actorOf(call),
    workspaceId: workspaceOf(call).workspaceId,
    file,
    ...options,
    origin: 'agent',
    sessionTitle: '',
  }
  return call.artifacts.declareArtifact(request, { signal: call.signal })
}

/**
 * Waits until the view shows what was declared, so that the next call of the run sees it: positions
 * of the run say nothing about the artifacts' own stream. A view that lags holds nothing up for long.
 */
export async function settleView(call: ToolCall, declared: readonly Declared[]): Promise<void> {
  const last = declared.findLast((one) => one.ok && one.position !== '')
  if (!last?.ok) return
  const { projectId } = call.place
  const request = { projectId, pageSize: 1, pageToken: '', minPosition: last.position }
  try {
    await call.artifacts.listArtifacts(request, { signal: call.signal })
  } catch (error) {
    if (!isPlatformError(error) || error.code !== 'unavailable') throw error
  }
}

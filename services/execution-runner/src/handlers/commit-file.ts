import { createHash } from 'node:crypto'
import { commandIdOf } from '@sciencediscovery/event-store'
import { PlatformError, refused } from '@sciencediscovery/kernel'
import {
  type Actor,
  type CommittedFile,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type Effect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { withDeadline } from '@sciencediscovery/service-kit'
import { type HandlerContext } from '../context.js'
import { doneEffect } from '../domain/workspace/files.js'
import { type FileEffect } from '../domain/workspace/state.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'
import { type Turn } from '../reactors/writer-lock.js'
import { type FileWork, type WrittenFile } from '../workspace-files.js'
import { filesPlace } from './files-place.js'
import { toEffect } from './to-execution.js'

/** A file effect: its key, who wants it, and what is done. */
export interface FileOrder {
  readonly effectKey: string
  readonly actor: Actor
  readonly origin: string
  readonly work: FileWork
  /** Digest of everything asked for: the key stands for this and nothing else. */
  readonly requestDigest: string
}

/** What the caller is told, now and when it asks again. */
export interface FileAnswer {
  readonly file: CommittedFile
  readonly replacements: number
  readonly effects: Effect[]
}

const lockWaitMs = 10_000

/** Does it once: takes the writer's turn, changes the file, commits the snapshot that shows it. */
export async function commitFile(
  ctx: HandlerContext,
  owned: OwnedWorkspace,
  order: FileOrder,
  signal: AbortSignal,
): Promise<FileAnswer> {
  const earlier = await findEffect(ctx, owned, order)
  if (earlier) return toAnswer(earlier)
  const turn = await turnToWrite(owned, order, signal)
  try {
    const meanwhile = await findEffect(ctx, owned, order)
    if (meanwhile) return toAnswer(meanwhile)
    return toAnswer(await commit(ctx, owned, { order, written: await apply(ctx, owned, order) }))
  } finally {
    turn.release()
    owned.pulse.beat()
    ctx.starter.run(owned)
  }
}

/**
 * Changes the file. When this replica dies before the stream says so, the change is undone by the next claim:
 * else whoever asks again would be refused for what is there by its own doing.
 */
async function apply(
  ctx: HandlerContext,
  owned: OwnedWorkspace,
  { work }: FileOrder,
): Promise<WrittenFile> {
  const { directory, snapshots } = owned
  const { tree } = snapshots
  directory.noteChanging()
  try {
    return await ctx.machine.files.apply(filesPlace(owned), work)
  } catch (error) {
    // Refused: nothing on disk has changed.
    directory.note(tree)
    throw error
  }
}

/** The digest of a request, whatever order its fields are in. */
export function digestOfRequest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    hash.update(`${part.length}:`)
    hash.update(part)
  }
  return hash.digest('hex')
}

async function findEffect(
  ctx: HandlerContext,
  { workspaceId }: OwnedWorkspace,
  { effectKey, requestDigest }: FileOrder,
): Promise<FileEffect | undefined> {
  const { state } = await ctx.workspaces.load(workspaceSubject(workspaceId))
  return doneEffect(state, effectKey, requestDigest)
}

async function turnToWrite(
  { lock, over }: OwnedWorkspace,
  { effectKey }: FileOrder,
  signal: AbortSignal,
): Promise<Turn> {
  const until = AbortSignal.any([withDeadline(signal, lockWaitMs), over])
  try {
    return await lock.acquire(effectKey, until)
  } catch (error) {
    signal.throwIfAborted()
    if (over.aborted)
      throw new PlatformError('unavailable', 'the workspace moves', { cause: error })
    throw refused(`${lock.holder ?? 'somebody'} is writing in the workspace`, {
      reason: 'workspace_busy',
      retryAfterMs: 1_000,
      remedy: 'wait for the execution with execution_status or cancel it, then try again',
    })
  }
}

/** From here on the disk is ahead of the stream: when the stream cannot follow, the claim is over. */
async function commit(
  ctx: HandlerContext,
  owned: OwnedWorkspace,
  { order, written }: { readonly order: FileOrder; readonly written: WrittenFile },
): Promise<FileEffect> {
  const { workspaceId, epoch, snapshots, directory } = owned
  const { path, replacements } = written
  try {
    const snapshot = await snapshots.takePaths([path])
    const [entry] = await snapshots.committed([path])
    if (!entry || 'error' in entry) throw new PlatformError('bug', `${path} is not in its snapshot`)
    const mediaType = await ctx.machine.files.mediaType(filesPlace(owned), path)
    const { effectKey, requestDigest, origin, actor } = order
    const { folded } = await ctx.workspaces.handle(
      workspaceSubject(workspaceId),
      {
        type: 'CommitFile',
        ...{ workspaceId, epoch, effectKey, requestDigest, origin, path, replacements, snapshot },
        ...{ mediaType, sha256: entry.digest, sizeBytes: entry.sizeBytes },
        pool: ctx.here.pool,
        callId: actor.callId,
        ...(origin === 'transfer' && actor.runId !== '' ? { runId: actor.runId } : {}),
        at: new Date(ctx.here.clock()).toISOString(),
      },
      {
        commandId: commandIdOf('file', effectKey, requestDigest, epoch),
        causationId: actor.callId || effectKey,
        correlationId: actor.runId || workspaceId,
        owner: true,
        signal: owned.over,
      },
    )
    directory.note(snapshot.tree)
    const done = doneEffect(folded.state, effectKey, requestDigest)
    if (!done) throw new PlatformError('bug', `effect ${effectKey} is not in its stream`)
    return done
  } catch (error) {
    owned.abandon(error)
    throw error
  }
}

function toAnswer({ file, changed }: FileEffect): FileAnswer {
  const { path, sha256, sizeBytes, mediaType, replacements } = file
  return {
    file: { path, digest: sha256, sizeBytes: BigInt(sizeBytes), mediaType },
    replacements,
    effects: changed ? [toEffect('workspace.changed', changed)] : [],
  }
}

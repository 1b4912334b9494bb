import { isPlatformError, type PlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type ResolvedFile } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import {
  projectOfSession,
  type WorkspaceChanged,
  WorkspaceChangedSchema,
} from '@sciencediscovery/run-events'
import { delay, withDeadline } from '@sciencediscovery/service-kit'
import { type Context, type PutOutcome } from '../context.js'
import { type Found, type SettleFile, type TransferOrder } from '../domain/transfer/commands.js'
import { putKeyOf } from '../domain/transfer/keys.js'
import { type BornTransfer } from '../domain/transfer/state.js'

/** How often and how long something is tried that may pass by itself. */
const firstPauseMs = 200
const longestPauseMs = 5_000
/** So long a transfer waits for the writer of its target. */
const busyPatienceMs = 10 * 60_000
/** Placing and restoring a workspace may come before the answer. */
const askTimeoutMs = 120_000

/** What the last snapshot of the source has of each file. */
export async function findContents(
  ctx: Context,
  { order }: BornTransfer,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const paths = order.files.map(({ sourcePath }) => sourcePath)
  const look = { actor: actorOf(order), workspaceId: order.sourceWorkspaceId, paths }
  const files = await ctx.files.committed(look, withDeadline(signal, askTimeoutMs))
  return Promise.all(order.files.map((_paths, index) => foundOf(ctx, files[index])))
}

/** The bytes move through the blob store: what is not there whole is not copied. */
async function foundOf(ctx: Context, resolved: ResolvedFile | undefined): Promise<Found> {
  const file = resolved?.file
  if (!file) return notFoundOf(resolved?.path ?? 'the file', resolved?.error ?? 'not found')
  const sizeBytes = Number(file.sizeBytes)
  const stored = await ctx.blobs.stat(file.digest)
  if (stored?.sizeBytes === sizeBytes) return { sha256: file.digest, sizeBytes }
  return { reason: 'source_unusable', message: `${file.path}: its content is not kept` }
}

function notFoundOf(path: string, error: string): Found {
  const message = error.includes(path) ? error : `${path}: ${error}`
  return { reason: error.endsWith('not found') ? 'source_missing' : 'source_unusable', message }
}

/** Where and of what one file is put. */
export interface CopyOrder {
  readonly born: BornTransfer
  readonly index: number
  /** Whether to go on waiting for the writer of the target. */
  readonly stillWanted: () => Promise<boolean>
}

type Outcome = SettleFile['outcome']

/** Puts one file: keyed, so that it is put once whoever tries again. Throws what may pass with the next attempt. */
export async function copyFile(
  ctx: Context,
  copy: CopyOrder,
  signal: AbortSignal,
): Promise<Outcome> {
  const givesUpAt = ctx.here.clock() + busyPatienceMs
  for (let tries = 0; ; tries += 1) {
    try {
      return await put(ctx, copy, withDeadline(signal, askTimeoutMs))
    } catch (error) {
      const failure = toPlatformError(error)
      if (!isBusy(failure)) return failureOf(failure)
      if (ctx.here.clock() >= givesUpAt || !(await copy.stillWanted())) return failureOf(failure)
      await delay(Math.min(longestPauseMs, firstPauseMs * 2 ** tries), signal)
    }
  }
}

async function put(
  ctx: Context,
  { born, index }: CopyOrder,
  signal: AbortSignal,
): Promise<Outcome> {
  const { order, files } = born
  const file = files[index]
  if (!file?.content) return { ok: false, reason: 'source_unusable', message: 'it has no content' }
  const { sha256, sizeBytes } = file.content
  const { projectId, sessionId, agentId, runId, callId } = actorOf(order)
  const { file: committed, effects } = await ctx.files.put(
    {
      effectKey: putKeyOf(order.transferId, index),
      ...{ projectId, sessionId, workspaceId: order.workspaceId },
      ...{ path: file.targetPath, digest: sha256 },
      conflict:
        order.conflict === 'overwrite' ? Conflict.CONFLICT_OVERWRITE : Conflict.CONFLICT_REJECT,
      transferFor: { agentId, runId, callId },
    },
    signal,
  )
  const same = committed.digest === sha256 && Number(committed.sizeBytes) === sizeBytes
  if (same) return { ok: true, targetPath: committed.path, changes: changesOf(effects) }
  const message = `${committed.path} has other content than ${file.sourcePath}`
  return { ok: false, reason: 'hash_mismatch', message }
}

function changesOf(effects: PutOutcome['effects']): readonly WorkspaceChanged[] {
  return effects.map(({ type, version: v, dataJson }) => {
    const data: unknown = JSON.parse(dataJson)
    return WorkspaceChangedSchema.parse({ type, v, data })
  })
}

/** Who moves the files, for the owners of workspaces. */
function actorOf(order: TransferOrder): {
  readonly projectId: string
  readonly sessionId: string
  readonly runId: string
  readonly agentId: string
  readonly callId: string
} {
  const { sessionId, agentId, callId, runId = '' } = order
  return { projectId: projectOfSession(sessionId), sessionId, runId, agentId, callId }
}

function isBusy(error: PlatformError): boolean {
  return error.details.reason === 'workspace_busy'
}

const passing = new Set(['unavailable', 'deadline', 'unknown', 'cancelled', 'conflict', 'bug'])

/** The outcome that a refusal is; throws what is none. */
function failureOf(error: PlatformError): Outcome {
  if (!isPlatformError(error) || passing.has(error.code)) throw error
  const { remedy } = error.details
  const message = remedy === undefined ? error.message : `${error.message}; ${remedy}`
  return { ok: false, reason: reasonOf(error), message }
}

function reasonOf(error: PlatformError): string {
  if (isBusy(error)) return 'workspace_busy'
  if (error.code === 'already_exists') return 'conflict'
  if (error.code === 'exhausted') return 'no_space'
  return 'refused'
}

import { commandIdOf, type Lease } from '@sciencediscovery/event-store'
import { isPlatformError } from '@sciencediscovery/kernel'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Context } from '../context.js'
import { type WorkspaceDirectory } from '../directories.js'
import { type SnapshotOutcome } from '../domain/workspace/commands.js'
import { type WorkspaceSnapshots } from '../snapshots.js'
import { PlacementSchema } from './place-workspace.js'

/** A workspace that was restored and claimed. */
export interface Claim {
  readonly workspaceId: string
  readonly epoch: number
  readonly directory: WorkspaceDirectory
  readonly snapshots: WorkspaceSnapshots
}

const attempts = 3

/** Restores what the placement names and claims it; undefined when the placement is over. */
export async function claimWorkspace(ctx: Context, lease: Lease): Promise<Claim | undefined> {
  const { workspaceId, placement } = PlacementSchema.parse(lease.payload)
  for (let attempt = 1; ; attempt += 1) {
    const { state } = await ctx.workspaces.load(workspaceSubject(workspaceId))
    const { ownership } = state
    if (ownership.status === 'none' || ownership.placement !== placement) return undefined
    const directory = await ctx.machine.directories.open(workspaceId)
    try {
      return await restoreAndClaim(ctx, { lease, workspaceId, placement, attempt }, directory)
    } catch (error) {
      await directory[Symbol.asyncDispose]()
      if (!isPlatformError(error) || error.code !== 'refused') throw error
      if (error.details.reason === 'stale_placement') return undefined
      if (attempt === attempts) throw error
    }
  }
}

interface Order {
  readonly lease: Lease
  readonly workspaceId: string
  readonly placement: number
  readonly attempt: number
}

async function restoreAndClaim(
  ctx: Context,
  order: Order,
  directory: WorkspaceDirectory,
): Promise<Claim> {
  const { here, machine, workspaces } = ctx
  const { workspaceId, placement } = order
  const subject = workspaceSubject(workspaceId)
  const { tree } = (await workspaces.load(subject)).state.snapshot
  const target = {
    ...{ workspaceId, tree, pool: here.pool, uid: directory.uid },
    directory: directory.filesDirectory,
  }
  const left = directory.leftTree !== undefined && directory.leftTree === tree
  if (!left) await directory.clear()
  const snapshots = await (left
    ? machine.snapshots.adopt(target)
    : machine.snapshots.restore(target))
  try {
    const drift = left ? await driftOf(snapshots, tree) : undefined
    const { folded } = await workspaces.handle(
      subject,
      {
        type: 'ClaimWorkspace',
        ...{ workspaceId, placement, drift },
        pool: here.pool,
        replicaId: here.replicaId,
        address: here.address(),
        restoredTree: tree,
        at: new Date(here.clock()).toISOString(),
      },
      {
        commandId: commandIdOf(
          'claim',
          workspaceId,
          placement,
          here.replicaId,
          order.lease.attempt,
          order.attempt,
        ),
        causationId: order.lease.id,
        correlationId: workspaceId,
        owner: true,
      },
    )
    directory.note(folded.state.snapshot.tree)
    return { workspaceId, epoch: folded.state.epoch, directory, snapshots }
  } catch (error) {
    await snapshots[Symbol.asyncDispose]()
    throw error
  }
}

/** What changed behind the platform's back while nobody owned the directory. */
async function driftOf(
  snapshots: WorkspaceSnapshots,
  tree: string | null,
): Promise<SnapshotOutcome | undefined> {
  const found = await snapshots.take()
  const files = found.created + found.modified + found.deleted
  return found.tree === tree || files === 0 ? undefined : found
}

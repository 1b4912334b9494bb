import { commandIdOf, type Lease } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { delay } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { type OwnedWorkspace, type OwnedWorkspaces } from '../owned-workspaces.js'
import { type Claim, claimWorkspace } from './claim-workspace.js'
import { Ownership } from './ownership.js'
import { PlacementSchema, placementQueue } from './place-workspace.js'
import { type QueuePump } from './run-queue.js'

const retryMs = 200

/** Takes placements while there is room, and holds each lease as long as it owns the workspace. */
export class WorkspaceOwner implements OwnedWorkspaces, AsyncDisposable {
  readonly #owned = new Map<string, Ownership>()
  readonly #stop = new AbortController()
  readonly #claims = new Set<Promise<void>>()
  /** Claims that are over, whose processes and directories are not free yet. */
  readonly #ending = new Map<string, Promise<void>>()
  #taking: Promise<void> = Promise.resolve()
  #roomMade: () => void = () => undefined

  get count(): number {
    return this.#owned.size
  }

  find(workspaceId: string): OwnedWorkspace | undefined {
    return this.#owned.get(workspaceId)
  }

  start(ctx: Context, pump: QueuePump): void {
    this.#taking = this.#take(ctx, pump)
  }

  /** Gives every idle workspace back; what still works is left to the replica that gets the lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#roomMade()
    await this.#taking
    await Promise.all(this.#claims)
    const owned = [...this.#owned.values()]
    await Promise.all(owned.map((ownership) => ownership.leave()))
    const stopped = new PlatformError('unavailable', 'the runner stops')
    for (const ownership of owned) ownership.abandon(stopped)
    await Promise.all(this.#ending.values())
  }

  async #take(ctx: Context, pump: QueuePump): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#owned.size + this.#claims.size >= ctx.limits.workspaces) {
        await this.#room()
        continue
      }
      const lease = await ctx.queue.take(placementQueue(ctx.here.pool), this.#stop.signal)
      if (!lease) {
        // Stopped, or the queue is closed: then there is nothing to ask in a hurry.
        await delay(retryMs, this.#stop.signal).catch(() => undefined)
        continue
      }
      const claim = this.#claim(ctx, pump, lease).finally(() => this.#claims.delete(claim))
      this.#claims.add(claim)
    }
  }

  /** The longest idle workspace makes room; when none is idle, the next one that ends does. */
  async #room(): Promise<void> {
    const made = new Promise<void>((resolve) => {
      this.#roomMade = resolve
    })
    const idle = [...this.#owned.values()].filter(({ lock }) => lock.idle)
    idle.sort((one, other) => one.touchedAt - other.touchedAt)
    const [longest] = idle
    if (longest) await longest.leave()
    else await made
  }

  async #claim(ctx: Context, pump: QueuePump, lease: Lease): Promise<void> {
    try {
      const { workspaceId } = PlacementSchema.parse(lease.payload)
      // We hold it and do not know yet that the lease was lost: two claims must not share a directory.
      this.#owned.get(workspaceId)?.supersede()
      await this.#ending.get(workspaceId)
      const claim = await claimWorkspace(ctx, lease)
      if (!claim) {
        await lease.complete()
        return
      }
      this.#own(ctx, pump, { lease, claim })
    } catch (error) {
      ctx.here.logger.warn({ err: error, placement: lease.id }, 'a placement cannot be claimed')
      await lease.release(1_000).catch(() => undefined)
    }
  }

  #own(ctx: Context, pump: QueuePump, parts: { lease: Lease; claim: Claim }): void {
    const { workspaceId, epoch } = parts.claim
    const ownership: Ownership = new Ownership({
      ...parts,
      sandbox: ctx.machine.sandbox,
      idleReleaseMs: ctx.limits.idleReleaseMs,
      release: () => giveBack(ctx, ownership),
      onOver: () => {
        this.#owned.delete(workspaceId)
        this.#ending.set(workspaceId, ownership.ended)
        this.#roomMade()
      },
      onEnded: () => {
        this.#ending.delete(workspaceId)
      },
      onTrouble: (error) => {
        ctx.here.logger.warn({ err: error, workspaceId }, 'a workspace was not left cleanly')
      },
    })
    this.#owned.set(workspaceId, ownership)
    ctx.here.logger.info({ workspaceId, epoch }, 'workspace claimed')
    pump.run(ownership)
  }
}

async function giveBack(ctx: Context, { workspaceId, epoch }: OwnedWorkspace): Promise<void> {
  await ctx.workspaces.handle(
    workspaceSubject(workspaceId),
    { type: 'ReleaseWorkspace', epoch, at: new Date(ctx.here.clock()).toISOString() },
    {
      commandId: commandIdOf('release', workspaceId, epoch),
      causationId: workspaceId,
      correlationId: workspaceId,
      owner: true,
    },
  )
}

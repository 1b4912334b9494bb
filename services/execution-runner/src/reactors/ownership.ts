import { setMaxListeners } from 'node:events'
import { type Lease } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { type WorkspaceDirectory } from '../directories.js'
import { type LiveExecution, type OwnedWorkspace } from '../owned-workspaces.js'
import { Pulse } from '../pulse.js'
import { type Sandbox, type SandboxCell } from '../sandbox.js'
import { type WorkspaceSnapshots } from '../snapshots.js'
import { type Claim } from './claim-workspace.js'
import { WriterLock } from './writer-lock.js'

/** What an ownership is made of. */
export interface OwnershipParts {
  readonly lease: Lease
  readonly claim: Claim
  readonly sandbox: Sandbox
  readonly idleReleaseMs: number
  /** Says in the stream that the workspace is free. */
  readonly release: () => Promise<void>
  /** The claim is over. */
  readonly onOver: () => void
  /** Processes and directory are free again. */
  readonly onEnded: () => void
  readonly onTrouble: (error: unknown) => void
}

/** One owned workspace, from its claim to its end: released, lost or abandoned. */
export class Ownership implements OwnedWorkspace {
  readonly workspaceId: string
  readonly epoch: number
  readonly directory: WorkspaceDirectory
  readonly snapshots: WorkspaceSnapshots
  readonly lock = new WriterLock()
  readonly pulse = new Pulse()
  readonly #parts: OwnershipParts
  readonly #over = new AbortController()
  #cell: Promise<SandboxCell> | undefined
  #live: LiveExecution | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #holds = 0
  touchedAt = performance.now()
  /** Resolves when nothing of the claim is left on this machine. */
  ended: Promise<void> = Promise.resolve()

  constructor(parts: OwnershipParts) {
    const { workspaceId, epoch, directory, snapshots } = parts.claim
    this.workspaceId = workspaceId
    this.epoch = epoch
    this.directory = directory
    this.snapshots = snapshots
    this.#parts = parts
    // Every call under way listens to it: many are no leak.
    setMaxListeners(0, this.#over.signal)
    parts.lease.lost.addEventListener('abort', () => {
      this.abandon(new PlatformError('unavailable', 'the lease of the workspace was lost'))
    })
    this.#rest()
  }

  get over(): AbortSignal {
    return this.#over.signal
  }

  get live(): LiveExecution | undefined {
    return this.#live
  }

  setLive(live: LiveExecution | undefined): void {
    this.#live = live
  }

  cell(): Promise<SandboxCell> {
    const { filesDirectory, privateDirectory, uid } = this.directory
    this.#cell ??= this.#parts.sandbox
      .prepare({ filesDirectory, privateDirectory, uid })
      .catch((error: unknown) => {
        this.#cell = undefined
        throw error
      })
    return this.#cell
  }

  hold(): Disposable {
    this.#holds += 1
    clearTimeout(this.#idleTimer)
    return {
      [Symbol.dispose]: () => {
        this.#holds -= 1
        this.#rest()
      },
    }
  }

  /** Gives the workspace back when nothing works in it; else tries again after the idle time. */
  async leave(): Promise<void> {
    const turn = this.#holds === 0 ? this.lock.tryAcquire('release') : undefined
    if (!turn) {
      this.#rest()
      return
    }
    try {
      await this.#parts.release()
    } catch {
      // Something was queued meanwhile, or the claim is over already.
      turn.release()
      this.#rest()
      return
    }
    this.#end(new PlatformError('unavailable', 'the workspace was released'))
    try {
      await this.#parts.lease.complete()
    } catch (error) {
      this.#parts.onTrouble(error)
    }
  }

  #rest(): void {
    this.touchedAt = performance.now()
    clearTimeout(this.#idleTimer)
    if (this.#holds > 0 || this.over.aborted) return
    this.#idleTimer = setTimeout(() => void this.leave(), this.#parts.idleReleaseMs)
    this.#idleTimer.unref()
  }

  abandon(reason: unknown): void {
    if (this.over.aborted) return
    this.#end(reason)
    // Sooner than the lease would run out by itself, but not before our processes are gone.
    void this.ended.then(() => this.#parts.lease.release(0)).catch(() => undefined)
  }

  /** Gives the claim up because the queue gave the lease away: nothing is said about the lease any more. */
  supersede(): void {
    if (!this.over.aborted)
      this.#end(new PlatformError('unavailable', 'the lease of the workspace was given away'))
  }

  #end(reason: unknown): void {
    clearTimeout(this.#idleTimer)
    this.#over.abort(reason)
    this.#live?.kill()
    this.ended = this.#dispose().finally(this.#parts.onEnded)
    this.#parts.onOver()
    this.pulse.beat()
  }

  async #dispose(): Promise<void> {
    const parts = [await this.#cell?.catch(() => undefined), this.snapshots, this.directory]
    for (const part of parts) {
      try {
        await part?.[Symbol.asyncDispose]()
      } catch (error) {
        this.#parts.onTrouble(error)
      }
    }
  }
}

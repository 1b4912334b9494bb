import { commandIdOf } from '@sciencediscovery/event-store'
import { placeOfWorkspace, workspaceSubject } from '@sciencediscovery/run-events'
import { type Context } from '../context.js'
import { startedUnder } from '../domain/workspace/executions.js'
import { type WorkspaceState } from '../domain/workspace/state.js'
import { type ExecutionStarter, type OwnedWorkspace } from '../owned-workspaces.js'
import { executionSteps } from './execution-steps.js'
import { runExecution } from './run-execution.js'
import { type Slots } from './slots.js'
import { type Turn } from './writer-lock.js'

/** Starts what waits in the queues of owned workspaces, one after the other in each. */
export class QueuePump implements ExecutionStarter {
  readonly #ctx: Context
  readonly #slots: Slots
  readonly #pumping = new Set<OwnedWorkspace>()

  constructor(ctx: Context, slots: Slots) {
    this.#ctx = ctx
    this.#slots = slots
  }

  /** The right to start at once, when the workspace and a slot are free. */
  tryTurn(owned: OwnedWorkspace, executionId: string): Turn | undefined {
    if (!owned.lock.idle || !this.#slots.tryTake()) return undefined
    const turn = owned.lock.tryAcquire(executionId)
    return {
      release: () => {
        turn?.release()
        this.#slots.giveBack()
      },
    }
  }

  /** Runs an execution whose start is committed; gives the turn back when it ended. */
  runStarted(owned: OwnedWorkspace, executionId: string, turn: Turn): void {
    void this.#run(owned, executionId).finally(() => {
      // The next call of whoever waits for this one finds the workspace free.
      turn.release()
      owned.pulse.beat()
      this.run(owned)
    })
  }

  /** Works the queue off, unless that goes on already. */
  run(owned: OwnedWorkspace): void {
    if (this.#pumping.has(owned)) return
    this.#pumping.add(owned)
    void this.#pump(owned)
      .catch((error: unknown) => {
        owned.abandon(error)
      })
      .finally(() => this.#pumping.delete(owned))
  }

  async #pump(owned: OwnedWorkspace): Promise<void> {
    const subject = workspaceSubject(owned.workspaceId)
    for (;;) {
      const { state } = await this.#ctx.workspaces.load(subject)
      const next = forgotten(owned, state) ?? state.queue[0]
      if (next === undefined || owned.over.aborted) return
      await this.#slots.take(placeOfWorkspace(owned.workspaceId).projectId)
      try {
        await this.#runNext(owned, next)
      } finally {
        this.#slots.giveBack()
      }
    }
  }

  async #runNext(owned: OwnedWorkspace, expected: string): Promise<void> {
    const turn = await owned.lock.acquire(expected, owned.over)
    try {
      const subject = workspaceSubject(owned.workspaceId)
      const { state } = await this.#ctx.workspaces.load(subject)
      if (startedUnder(owned.epoch, state) !== expected) {
        // It may have been cancelled while it waited for its turn.
        if (state.queue[0] !== expected) return
        await this.#recordStart(owned, expected)
      }
      await this.#run(owned, expected)
    } finally {
      turn.release()
      owned.pulse.beat()
    }
  }

  async #recordStart(owned: OwnedWorkspace, executionId: string): Promise<void> {
    const { here, workspaces } = this.#ctx
    const { epoch, over, workspaceId } = owned
    const at = new Date(here.clock()).toISOString()
    await workspaces.handle(
      workspaceSubject(workspaceId),
      { type: 'StartExecution', executionId, epoch, at },
      {
        commandId: commandIdOf('start', executionId, epoch),
        causationId: executionId,
        correlationId: executionId,
        owner: true,
        signal: over,
      },
    )
  }

  /** What cannot be brought to its one outcome here ends the claim: the next owner settles it as unknown. */
  async #run(owned: OwnedWorkspace, executionId: string): Promise<void> {
    try {
      await runExecution(executionSteps(this.#ctx, owned, executionId))
    } catch (error) {
      if (owned.over.aborted) return
      const { logger } = this.#ctx.here
      logger.error(
        { err: error, executionId },
        'an execution has no outcome: the claim is given up',
      )
      owned.abandon(error)
    }
  }
}

/**
 * An execution whose start landed while its answer was lost. Whoever runs one holds the writer's turn, so
 * that one without it has never run.
 */
function forgotten(owned: OwnedWorkspace, state: WorkspaceState): string | undefined {
  const started = startedUnder(owned.epoch, state)
  return started === owned.lock.holder ? undefined : started
}

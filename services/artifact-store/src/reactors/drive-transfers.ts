import { commandIdOf, type Delivery } from '@sciencediscovery/event-store'
import { isPlatformError } from '@sciencediscovery/kernel'
import { type Context } from '../context.js'
import { type TransferCommand } from '../domain/transfer/commands.js'
import { type BornTransfer, bornOf, isGoingOn, nextFileOf } from '../domain/transfer/state.js'
import { copyFile, findContents } from './copy-files.js'

/** A transfer moves on within this time after its replica was killed. */
const ackWaitMs = 4_000
const slots = 32
/** Deliveries until a transfer is given up: with the pauses between them, some minutes. */
const maxAttempts = 20

/**
 * The un-acked message of `transfer.queued` is the lease of a transfer: it is kept alive while a replica copies,
 * and comes to another one when that replica is gone. The attempt is the fence.
 */
export function driveTransfers(
  ctx: Context,
  options: { readonly ackWaitMs?: number | undefined } = {},
): Promise<AsyncDisposable> {
  return ctx.transfers.store.react(
    {
      ...{ name: 'artifact-store-transfers', noun: 'transfers', slots, maxAttempts },
      ackWaitMs: options.ackWaitMs ?? ackWaitMs,
      onFailure: (error, { sequence, attempt }) => {
        ctx.here.logger.warn({ err: error, sequence, attempt }, 'a transfer does not move on')
      },
    },
    (delivery, signal) => drive(ctx, delivery, signal),
  )
}

async function drive(ctx: Context, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const { commit, exhausted } = delivery
  if (!commit.events.some(({ type }) => type === 'transfer.queued')) return
  const work = new TransferWork(ctx, commit.subject)
  try {
    if (exhausted) await work.giveUp()
    else await work.run(signal)
  } catch (error) {
    // Another replica has it, and with it what is left to do.
    if (isPlatformError(error) && error.details.reason === 'stale_attempt') return
    throw error
  }
}

/** One replica's work on one transfer, from where the stream says it is. */
class TransferWork {
  readonly #ctx: Context
  readonly #subject: string

  constructor(ctx: Context, subject: string) {
    this.#ctx = ctx
    this.#subject = subject
  }

  async run(signal: AbortSignal): Promise<void> {
    const before = await this.#load()
    if (!before || !isGoingOn(before)) return
    const { replicaId } = this.#ctx.here
    const taken = await this.#handle({ type: 'TakeTransfer', replicaId, at: this.#now() }, [
      before.attempt + 1,
      replicaId,
    ])
    if (!taken || !isGoingOn(taken)) return
    const { attempt } = taken
    const started = taken.status === 'queued' ? await this.#fix(taken, signal) : taken
    for (let born = started; born && isGoingOn(born);) {
      signal.throwIfAborted()
      born = await this.#step(born, attempt, signal)
    }
  }

  async giveUp(): Promise<void> {
    const reason = 'gave_up'
    await this.#handle({ type: 'GiveUpTransfer', reason, at: this.#now() }, [])
  }

  async #fix(born: BornTransfer, signal: AbortSignal): Promise<BornTransfer | undefined> {
    const found = await findContents(this.#ctx, born, signal)
    const { attempt } = born
    return this.#handle({ type: 'FixContents', attempt, found, at: this.#now() }, [attempt])
  }

  /** The next file, or the end that somebody asked for. */
  async #step(
    born: BornTransfer,
    attempt: number,
    signal: AbortSignal,
  ): Promise<BornTransfer | undefined> {
    const now = await this.#load()
    const index = nextFileOf(now ?? born)
    if (now?.cancelRequested === true || index === undefined)
      return this.#handle({ type: 'EndCancelled', attempt, at: this.#now() }, [attempt])
    const stillWanted = async (): Promise<boolean> => {
      const later = await this.#load()
      return later?.attempt === attempt && !later.cancelRequested
    }
    const outcome = await copyFile(this.#ctx, { born, index, stillWanted }, signal)
    const settle = { type: 'SettleFile', attempt, index, outcome, at: this.#now() } as const
    return this.#handle(settle, [attempt, index])
  }

  async #load(): Promise<BornTransfer | undefined> {
    return bornOf((await this.#ctx.transfers.load(this.#subject)).state)
  }

  async #handle(
    command: TransferCommand,
    key: readonly unknown[],
  ): Promise<BornTransfer | undefined> {
    const { folded } = await this.#ctx.transfers.handle(this.#subject, command, {
      commandId: commandIdOf(this.#subject, command.type, ...key),
      causationId: this.#subject,
      correlationId: this.#subject,
      owner: true,
    })
    return bornOf(folded.state)
  }

  #now(): string {
    return new Date(this.#ctx.here.clock()).toISOString()
  }
}

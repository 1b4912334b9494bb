import { PlatformError, isPlatformError, notFound } from '@sciencediscovery/kernel'
import { type Effect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { EffectSchema } from '@sciencediscovery/run-events'
import { withDeadline } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { type BornTransfer, bornOf, isGoingOn } from '../domain/transfer/state.js'

/** The facts of a transfer that its run records, as far as they have happened. */
export async function transferEffects(
  ctx: Context,
  subject: string,
  signal: AbortSignal,
): Promise<readonly Effect[]> {
  const { sequence } = await ctx.transfers.load(subject)
  const effects: Effect[] = []
  for await (const { commit } of ctx.transfers.store.read(
    subject,
    { upToSequence: sequence },
    signal,
  )) {
    for (const event of commit.events) {
      const fact = EffectSchema.safeParse(event)
      if (!fact.success) continue
      const { type, v: version, data } = fact.data
      effects.push({ effectId: data.effectId, type, version, dataJson: JSON.stringify(data) })
    }
  }
  return effects
}

/** The transfer once it goes on no further, or after the wait. */
export async function waitForEnd(
  ctx: Context,
  subject: string,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<BornTransfer> {
  const time = withDeadline(signal, waitMs)
  let { born, sequence } = await load(ctx, subject)
  try {
    while (waitMs > 0 && isGoingOn(born)) {
      for await (const _ of ctx.transfers.store.followSubject(subject, sequence, time)) break
      if (time.aborted) break
      ;({ born, sequence } = await load(ctx, subject))
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!time.aborted || !isOver(error)) throw error
  }
  return (await load(ctx, subject)).born
}

function isOver(error: unknown): boolean {
  return isPlatformError(error) && (error.code === 'deadline' || error.code === 'cancelled')
}

async function load(
  ctx: Context,
  subject: string,
): Promise<{ readonly born: BornTransfer; readonly sequence: number }> {
  const { state, sequence } = await ctx.transfers.load(subject)
  const born = bornOf(state)
  if (born) return { born, sequence }
  if (state.status === 'refused') throw new PlatformError('refused', 'the transfer was cancelled')
  throw notFound('the transfer')
}

import { isPlatformError } from '@sciencediscovery/kernel'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Call, delay, withDeadline } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'
import { requestPlacement } from '../reactors/place-workspace.js'
import { notOwner } from './wait-for-end.js'

/** How a call came: from a client, or from another replica that took us for the owner. */
export type Way = 'direct' | 'forwarded'

/** What is done for a call, here or there. */
export interface OwnerCall<Result> {
  readonly workspaceId: string
  readonly call: Call
  readonly way: Way
  readonly local: (owned: OwnedWorkspace) => Promise<Result>
  readonly forward: (address: string, signal: AbortSignal) => Promise<Result>
}

interface Done<Result> {
  readonly result: Result
}

const patienceMs = 30_000
const firstPauseMs = 50
const longestPauseMs = 500
const lookAtOwnerMs = 500
/** A call that took this long was in the hands of an owner, not on its way to one. */
const servedMs = 5_000
/** Looks that a placement usually takes: whoever needs more is told of in the log, once. */
const usualLooks = 4

/** Does it where the workspace is: here, at the owner, or at whoever takes the placement that this causes. */
export async function onOwner<Result>(ctx: Context, ask: OwnerCall<Result>): Promise<Result> {
  const { call, workspaceId } = ask
  let waitingSince = Date.now()
  for (let looks = 0; ; looks += 1) {
    const askedAt = Date.now()
    const owned = ctx.owned.find(workspaceId)
    const here = owned && (await doHere(owned, ask))
    if (here) return here.result
    if (ask.way === 'forwarded') throw notOwner(workspaceId)
    // Offered in any case: when its message was lost with a queue, nobody else would notice.
    await requestPlacement(ctx, workspaceId)
    const owner = await ownerElsewhere(ctx, workspaceId)
    const done = owner && (await doThere(ctx, ask, owner))
    if (done) return done.result
    if (Date.now() - askedAt > servedMs) waitingSince = Date.now()
    if (looks === usualLooks) ctx.here.logger.warn({ workspaceId, owner }, 'waiting for an owner')
    const endsAt = Math.min(waitingSince + patienceMs, call.deadlineAt ?? Infinity)
    const signal = withDeadline(call.signal, endsAt - Date.now())
    await nextOwner(ctx, workspaceId, { signal, pauseMs: pauseAfter(looks) })
  }
}

/** Grows from look to look; scattered, so that those who wait for one owner do not all ask at once. */
function pauseAfter(looks: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** looks) * (0.5 + Math.random() / 2)
}

/** undefined when the claim ended meanwhile: what is asked for is keyed, so that the next owner does it once. */
async function doHere<Result>(
  owned: OwnedWorkspace,
  { local, call }: OwnerCall<Result>,
): Promise<Done<Result> | undefined> {
  using _held = owned.hold()
  try {
    return { result: await local(owned) }
  } catch (error) {
    const stale = isPlatformError(error) && error.details.reason === 'stale_epoch'
    if (call.signal.aborted || !(stale || owned.over.aborted)) throw error
    return undefined
  }
}

/** undefined when the owner is gone, or is not the owner any more: it may hang and never answer. */
async function doThere<Result>(
  ctx: Context,
  { forward, call, workspaceId }: OwnerCall<Result>,
  { address, epoch }: Owner,
): Promise<Done<Result> | undefined> {
  const moved = new AbortController()
  const signal = AbortSignal.any([call.signal, moved.signal])
  const watch = setInterval(() => {
    void ownerElsewhere(ctx, workspaceId).then(
      (owner) => {
        if (owner?.epoch !== epoch) moved.abort()
      },
      () => undefined,
    )
  }, lookAtOwnerMs)
  try {
    return { result: await forward(address, signal) }
  } catch (error) {
    if (ownerIsGone(error) || (moved.signal.aborted && !call.signal.aborted)) return undefined
    throw error
  } finally {
    clearInterval(watch)
  }
}

/** The call did not reach a living owner, so that asking the next one does it once. */
function ownerIsGone(error: unknown): boolean {
  return (
    isPlatformError(error) &&
    error.code === 'unavailable' &&
    error.details.reason !== 'sandbox_incomplete'
  )
}

interface Owner {
  readonly address: string
  readonly epoch: number
}

/** Another replica that owns the workspace. */
async function ownerElsewhere(ctx: Context, workspaceId: string): Promise<Owner | undefined> {
  const { state } = await ctx.workspaces.load(workspaceSubject(workspaceId))
  const { ownership } = state
  const elsewhere = ownership.status === 'owned' && ownership.replicaId !== ctx.here.replicaId
  return elsewhere ? ownership : undefined
}

/** Resolves when the stream of the workspace goes on, or after the pause: the owner may just have died. */
async function nextOwner(
  ctx: Context,
  workspaceId: string,
  { signal, pauseMs }: { readonly signal: AbortSignal; readonly pauseMs: number },
): Promise<void> {
  signal.throwIfAborted()
  const subject = workspaceSubject(workspaceId)
  const { sequence } = await ctx.workspaces.load(subject)
  const waiting = new AbortController()
  const stop = AbortSignal.any([signal, waiting.signal])
  const moved = (async () => {
    for await (const _ of ctx.store.followSubject(subject, sequence, stop)) return
  })()
  try {
    await Promise.race([moved, delay(pauseMs, stop).catch(() => undefined)])
  } finally {
    waiting.abort()
    await moved.catch(() => undefined)
  }
  signal.throwIfAborted()
}

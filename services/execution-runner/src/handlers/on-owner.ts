import { isPlatformError, PlatformError } from '@sciencediscovery/kernel'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Call, delay, withDeadline } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'
import { requestPlacement } from '../reactors/place-workspace.js'

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
/** Looks that a placement usually takes: whoever needs more is told of in the log, once. */
const usualLooks = 4

/** Does it where the workspace is: here, at the owner, or at whoever takes the placement that this causes. */
export async function onOwner<Result>(ctx: Context, ask: OwnerCall<Result>): Promise<Result> {
  const { call } = ask
  const timeoutMs = Math.min(patienceMs, (call.deadlineAt ?? Infinity) - Date.now())
  const signal = withDeadline(call.signal, timeoutMs)
  for (let looks = 0; ; looks += 1) {
    const owned = ctx.owned.find(ask.workspaceId)
    const here = owned && (await doHere(owned, ask))
    if (here) return here.result
    if (ask.way === 'forwarded') throw notOwner(ask.workspaceId)
    const address = await ownerAddress(ctx, ask.workspaceId)
    const done = address === undefined ? undefined : await doThere(ask, address)
    if (done) return done.result
    if (looks === usualLooks)
      ctx.here.logger.warn({ workspaceId: ask.workspaceId, address }, 'waiting for an owner')
    await nextOwner(ctx, ask.workspaceId, { signal, pauseMs: pauseAfter(looks) })
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

/** undefined when the owner is gone. */
async function doThere<Result>(
  { forward, call }: OwnerCall<Result>,
  address: string,
): Promise<Done<Result> | undefined> {
  try {
    return { result: await forward(address, call.signal) }
  } catch (error) {
    if (ownerIsGone(error)) return undefined
    throw error
  }
}

function notOwner(workspaceId: string): PlatformError {
  return new PlatformError('unavailable', `workspace ${workspaceId} is not owned here`, {
    reason: 'not_owner',
  })
}

/** The call did not reach a living owner, so that asking the next one does it once. */
function ownerIsGone(error: unknown): boolean {
  return (
    isPlatformError(error) &&
    error.code === 'unavailable' &&
    error.details.reason !== 'sandbox_incomplete'
  )
}

/** Where another replica owns the workspace; places it when nobody does. */
async function ownerAddress(ctx: Context, workspaceId: string): Promise<string | undefined> {
  // Offered again in any case: when its message was lost with a queue, nobody else would notice.
  const { ownership } = await requestPlacement(ctx, workspaceId)
  const elsewhere = ownership.status === 'owned' && ownership.replicaId !== ctx.here.replicaId
  return elsewhere ? ownership.address : undefined
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

import { isPlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type Context } from '../context.js'

/** Which replicas are at work. A replica that answers is alive; one that nobody answers for is gone. */
export interface Presence extends AsyncDisposable {
  isAlive(replicaId: string): Promise<boolean>
  /** Calls back once for each replica that was seen and then went away. */
  onGone(listener: (replicaId: string) => void): void
}

const beatMs = 1_000
const missedMs = 2_500
const pingMs = 1_000
const BeatSchema = z.object({ replicaId: z.string() })

export async function startPresence(ctx: Context): Promise<Presence> {
  const { signals } = ctx
  const { replicaId, clock } = ctx.here
  const lastSeen = new Map<string, number>()
  const listeners: ((replicaId: string) => void)[] = []
  const answering = await signals.respond(`replica.${replicaId}`, () =>
    Promise.resolve({ replicaId }),
  )
  const listening = await signals.subscribe('replicas.orchestrator', (payload) => {
    const beat = BeatSchema.safeParse(payload)
    if (beat.success) lastSeen.set(beat.data.replicaId, clock())
  })

  const ping = async (other: string): Promise<boolean> => {
    try {
      await signals.request(`replica.${other}`, {}, pingMs)
      lastSeen.set(other, clock())
      return true
    } catch (error) {
      // A replica that is paused does not answer in time: it is fenced by the takeover, so this is safe.
      if (isPlatformError(error) && (error.code === 'unavailable' || error.code === 'deadline'))
        return false
      throw error
    }
  }
  const isAlive = async (other: string): Promise<boolean> =>
    other === replicaId || clock() - (lastSeen.get(other) ?? 0) < beatMs || ping(other)

  const lookForMissing = async (): Promise<void> => {
    for (const [other, seenAt] of lastSeen) {
      if (other === replicaId || clock() - seenAt < missedMs || (await ping(other))) continue
      lastSeen.delete(other)
      for (const listener of listeners) listener(other)
    }
  }
  const timer = setInterval(() => {
    signals.publish('replicas.orchestrator', { replicaId })
    lookForMissing().catch((error: unknown) => {
      ctx.here.logger.warn({ err: error }, 'replicas could not be looked for')
    })
  }, beatMs)
  timer.unref()

  return {
    isAlive,
    onGone: (listener) => listeners.push(listener),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // Stops answering first, so that its runs move at once.
      await answering[Symbol.asyncDispose]()
      await listening[Symbol.asyncDispose]()
    },
  }
}

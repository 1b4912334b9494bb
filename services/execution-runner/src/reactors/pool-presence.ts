import { type Signals } from '@sciencediscovery/event-store'
import { z } from 'zod'
import { type Here } from '../context.js'

/** A pool, as the replicas tell of it. */
export interface SeenPool {
  readonly runnerId: string
  /** Replicas that are heard of; 0 for a pool whose last one went away. */
  readonly replicas: number
  readonly sandbox: string
}

/** Which replicas of which pools are at work: each says so every second, and at once to one that comes. */
export interface PoolPresence extends AsyncDisposable {
  /** By name; this replica's own pool is always among them. */
  pools(): readonly SeenPool[]
}

const beatMs = 1_000
const missedMs = 2_500
const topic = 'replicas.runner'

const WordSchema = z.object({
  replicaId: z.string(),
  pool: z.string(),
  sandbox: z.string(),
  /** `joins` asks the others to say where they are. */
  says: z.enum(['joins', 'here', 'leaves']),
})
type Word = z.infer<typeof WordSchema>

interface Sighting {
  readonly word: Word
  readonly seenAt: number
}

/** Tells of this replica until disposed, and listens to the others. */
export async function startPoolPresence(
  signals: Signals,
  { replicaId, pool }: Pick<Here, 'replicaId' | 'pool'>,
  sandbox: string,
): Promise<PoolPresence> {
  const seen = new Map<string, Sighting>()
  const say = (says: Word['says']): void => {
    signals.publish(topic, { replicaId, pool, sandbox, says })
  }
  const listening = await signals.subscribe(topic, (payload) => {
    const word = WordSchema.safeParse(payload)
    if (!word.success || word.data.replicaId === replicaId) return
    seen.set(word.data.replicaId, { word: word.data, seenAt: performance.now() })
    if (word.data.says === 'joins') say('here')
  })
  say('joins')
  const timer = setInterval(() => {
    say('here')
  }, beatMs)
  timer.unref()
  return {
    pools: () => {
      const here: Sighting = {
        word: { replicaId, pool, sandbox, says: 'here' },
        seenAt: performance.now(),
      }
      return poolsOf([here, ...seen.values()])
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      say('leaves')
      await listening[Symbol.asyncDispose]()
    },
  }
}

function poolsOf(sightings: readonly Sighting[]): readonly SeenPool[] {
  const now = performance.now()
  const pools = new Map<string, SeenPool>()
  for (const { word, seenAt } of sightings) {
    const { pool: runnerId, sandbox, says } = word
    const isHere = says !== 'leaves' && now - seenAt < missedMs
    const known = pools.get(runnerId) ?? { runnerId, replicas: 0, sandbox }
    pools.set(runnerId, { ...known, replicas: known.replicas + (isHere ? 1 : 0) })
  }
  return [...pools.values()].sort((one, other) => (one.runnerId < other.runnerId ? -1 : 1))
}

import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type JetStreamApi } from './jetstream-api.js'
import { type StreamConfig } from './streams-file.js'

const KeptSchema = z.object({
  config: z.looseObject({
    name: z.string(),
    num_replicas: z.number(),
    max_bytes: z.number(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
})

/** A stream as the server keeps it. */
export type KeptStream = z.infer<typeof KeptSchema>['config']

export interface Note {
  readonly problem: string
  readonly remedy: string
}

/** Differences in these are a matter of size; in anything else the stream does not keep what we promise. */
const toleratedFields = new Set([
  'num_replicas',
  'max_bytes',
  'max_msg_size',
  'metadata',
  'allow_direct',
])

/** The stream as it is, or undefined when there is none. */
export async function keptStream(api: JetStreamApi, name: string): Promise<KeptStream | undefined> {
  try {
    return (await api.call(`STREAM.INFO.${name}`, undefined, KeptSchema)).config
  } catch (error) {
    if (isPlatformError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

/** Creates what is missing, reads everything back, and gives the differences that can be lived with. */
export async function ensureStreams(
  api: JetStreamApi,
  wanted: readonly StreamConfig[],
): Promise<readonly Note[]> {
  const notes = await Promise.all(wanted.map((config) => ensureStream(api, config)))
  return notes.flat()
}

async function ensureStream(api: JetStreamApi, wanted: StreamConfig): Promise<readonly Note[]> {
  const kept = (await keptStream(api, wanted.name)) ?? (await created(api, wanted))
  const differences = Object.entries(wanted).filter(([field, value]) => !isKept(value, kept[field]))
  const fatal = differences.filter(([field]) => !toleratedFields.has(field))
  if (fatal.length > 0) {
    throw new PlatformError(
      'bug',
      `stream ${wanted.name} is not what it must be: ${listed(fatal, kept)}`,
      {
        reason: 'stream_differs',
        remedy:
          'servers ignore what they do not know: use a newer one; or set the stream right with the nats tool',
      },
    )
  }
  return differences.map(([field, value]) => ({
    problem: `stream ${wanted.name}: ${listed([[field, value]], kept)}`,
    remedy: `nats stream edit ${wanted.name}`,
  }))
}

async function created(api: JetStreamApi, wanted: StreamConfig): Promise<KeptStream> {
  try {
    await api.call(`STREAM.CREATE.${wanted.name}`, wanted, KeptSchema)
  } catch (error) {
    // Another replica may have made it at the same moment: what counts is what is there now.
    const kept = await keptStream(api, wanted.name)
    if (!kept) throw error
    return kept
  }
  const kept = await keptStream(api, wanted.name)
  if (!kept)
    throw new PlatformError('unavailable', `stream ${wanted.name} was made and is not there yet`)
  return kept
}

function isKept(wanted: unknown, kept: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === kept
  if (typeof kept !== 'object' || kept === null) return false
  const found = new Map<string, unknown>(Object.entries(kept))
  const sameLength = !Array.isArray(wanted) || wanted.length === found.size
  return sameLength && Object.entries(wanted).every(([name, value]) => found.get(name) === value)
}

function listed(differences: readonly (readonly [string, unknown])[], kept: KeptStream): string {
  return differences
    .map(
      ([field, value]) =>
        `${field} is ${JSON.stringify(kept[field])}, not ${JSON.stringify(value)}`,
    )
    .join('; ')
}

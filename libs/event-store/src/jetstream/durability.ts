import { get } from 'node:http'
import { z } from 'zod'
import { type Note } from './ensure-streams.js'

const VarzSchema = z.object({
  server_name: z.string(),
  jetstream: z
    .object({ config: z.object({ sync_always: z.boolean().optional() }).optional() })
    .optional(),
})

export interface Durability {
  readonly durable: boolean
  readonly notes: readonly Note[]
}

const setAlways = 'set sync_interval: always in the jetstream block of every server'

/** Whether acknowledged means synced. Only the monitoring endpoint of each server tells. */
export async function checkDurability(monitoringUrls: readonly string[]): Promise<Durability> {
  if (monitoringUrls.length === 0) {
    const problem = 'cannot see whether the servers sync before they acknowledge'
    return {
      durable: false,
      notes: [{ problem, remedy: `name their monitoring addresses; ${setAlways}` }],
    }
  }
  const notes = (await Promise.all(monitoringUrls.map(noteOf))).flat()
  return { durable: notes.length === 0, notes }
}

async function noteOf(url: string): Promise<readonly Note[]> {
  try {
    const varz = VarzSchema.parse(JSON.parse(await fetchText(new URL('/varz', url))))
    if (varz.jetstream?.config?.sync_always === true) return []
    const problem = `${varz.server_name} acknowledges before it syncs: a power loss takes acknowledged commits`
    return [{ problem, remedy: setAlways }]
  } catch (error) {
    const problem = `${url} does not tell whether it syncs: ${error instanceof Error ? error.message : String(error)}`
    return [{ problem, remedy: 'check the monitoring address' }]
  }
}

function fetchText(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: 2_000 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        resolve(Buffer.concat(chunks).toString())
      })
      response.on('error', reject)
    })
    request.on('timeout', () => request.destroy(new Error('no answer within 2 s')))
    request.on('error', reject)
  })
}

import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** Where the stack of a data directory listens; written by the process that holds its lock. */
export const EndpointSchema = z.object({
  pid: z.number().int().positive(),
  address: z.string().min(1),
  token: z.string().min(1),
})
export type Endpoint = z.infer<typeof EndpointSchema>

const fileName = 'endpoint.json'

/** The endpoint of the data directory; undefined when there is none, or none that can be read. */
export async function readEndpoint(dataDir: string): Promise<Endpoint | undefined> {
  try {
    return EndpointSchema.safeParse(JSON.parse(await readFile(join(dataDir, fileName), 'utf8')))
      .data
  } catch {
    return undefined
  }
}

/** Writes the endpoint for its owner's eyes only, whole or not at all. For the holder of the lock. */
export async function writeEndpoint(dataDir: string, endpoint: Endpoint): Promise<void> {
  const path = join(dataDir, fileName)
  const part = `${path}.${endpoint.pid}.part`
  await writeFile(part, `${JSON.stringify(endpoint)}\n`, { mode: 0o600 })
  // An older part file would keep its own mode.
  await chmod(part, 0o600)
  await rename(part, path)
}

/** Takes the endpoint away, before the lock is given up. */
export async function removeEndpoint(dataDir: string): Promise<void> {
  await rm(join(dataDir, fileName), { force: true })
}

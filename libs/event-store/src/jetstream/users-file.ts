import { readFileSync } from 'node:fs'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'

const NameSchema = z.string().regex(/^[a-z][a-z0-9-]*$/)

const UserSchema = z.strictObject({
  name: NameSchema,
  /** Streams of others that it reads. */
  reads: z.array(z.string()),
  /** Durable consumers of its reactors. */
  reactors: z.array(z.strictObject({ stream: z.string(), consumer: z.string() })),
  publishes: z.array(z.string()),
  subscribes: z.array(z.string()),
})

const UsersFileSchema = z.strictObject({
  about: z.string(),
  /** The user that makes streams: a job before a release, never a serving process. */
  admin: NameSchema,
  users: z.array(UserSchema),
})

/** What services do on the bus beside writing their own streams. */
export type UsersFile = z.infer<typeof UsersFileSchema>
export type BusUser = z.infer<typeof UserSchema>

const shippedPath = new URL('../../../../deploy/nats/users.json', import.meta.url)

/** Reads the users of a file, or those this release ships with. */
export function loadUsersFile(path: string | URL = shippedPath): UsersFile {
  try {
    return UsersFileSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new PlatformError('invalid', `users file ${String(path)} cannot be used`, {
      cause,
      remedy: 'compare it with deploy/nats/users.json of this release',
    })
  }
}

import { randomUUID } from 'node:crypto'

/** A random id for a replica: `runner-3f2a…`. Everything that is stored derives its id from the command instead. */
export function createId(prefix: string): string {
  return `${prefix}-${randomUUID().replaceAll('-', '').slice(0, 16)}`
}

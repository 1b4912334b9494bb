/**
 * A map that copies little when it grows: values live in 64 buckets by the hash of their key. A workspace
 * keeps every execution and effect key for ever, so a plain record would be copied whole for each event.
 */
export interface Keyed<T> {
  readonly size: number
  readonly buckets: readonly Readonly<Record<string, T>>[]
}

const bucketCount = 64

export function emptyKeyed<T>(): Keyed<T> {
  return { size: 0, buckets: Array.from({ length: bucketCount }, () => ({})) }
}

export function lookUp<T>(keyed: Keyed<T>, key: string): T | undefined {
  const bucket = keyed.buckets[bucketOf(key)]
  return bucket && Object.hasOwn(bucket, key) ? bucket[key] : undefined
}

export function withKey<T>(keyed: Keyed<T>, key: string, value: T): Keyed<T> {
  const index = bucketOf(key)
  const known = lookUp(keyed, key) !== undefined
  const bucket = { ...keyed.buckets[index], [key]: value }
  return { size: keyed.size + (known ? 0 : 1), buckets: keyed.buckets.with(index, bucket) }
}

export function valuesOf<T>(keyed: Keyed<T>): T[] {
  return keyed.buckets.flatMap((bucket) => Object.values(bucket))
}

/** FNV-1a: spreads keys that differ in a few characters. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % bucketCount
}

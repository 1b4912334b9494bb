/**
 * A map that is changed by making a new one, at a cost that hardly grows with its size: old values stay
 * valid, so a state that holds one stays pure and a long run stays O(n).
 */
export interface Buckets<T> {
  readonly size: number
  readonly slots: readonly (ReadonlyMap<string, T> | undefined)[]
}

const slotCount = 64

/** A map without entries. */
export function emptyBuckets<T>(): Buckets<T> {
  return { size: 0, slots: [] }
}

function slotOf(key: string): number {
  let hash = 5381
  for (let at = 0; at < key.length; at += 1) hash = (hash * 33 + key.charCodeAt(at)) % 0x7fffffff
  return hash % slotCount
}

/** The value of a key, or undefined. */
export function lookUp<T>(buckets: Buckets<T>, key: string): T | undefined {
  return buckets.slots[slotOf(key)]?.get(key)
}

/** The map with the key set to the value. */
export function put<T>(buckets: Buckets<T>, key: string, value: T): Buckets<T> {
  const slot = slotOf(key)
  const entries = new Map(buckets.slots[slot])
  const size = entries.has(key) ? buckets.size : buckets.size + 1
  entries.set(key, value)
  const slots = Array.from({ length: slotCount }, (_, at) =>
    at === slot ? entries : buckets.slots[at],
  )
  return { size, slots }
}

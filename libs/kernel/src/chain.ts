/**
 * A list that only grows at its end. Adding copies nothing and old values stay valid, so a state
 * that holds one stays pure and a run of n events folds in O(n).
 */
export interface Chain<T> {
  readonly length: number
  readonly last: { readonly value: T; readonly before: Chain<T> } | undefined
}

/** A chain of the given values, first one first. */
export function chainOf<T>(...values: readonly T[]): Chain<T> {
  return values.reduce<Chain<T>>(push, { length: 0, last: undefined })
}

/** The chain with one more value at its end. */
export function push<T>(chain: Chain<T>, value: T): Chain<T> {
  return { length: chain.length + 1, last: { value, before: chain } }
}

/** The values, first one first. */
export function toArray<T>(chain: Chain<T>): T[] {
  const values: T[] = []
  for (let rest = chain; rest.last; rest = rest.last.before) values.push(rest.last.value)
  return values.reverse()
}

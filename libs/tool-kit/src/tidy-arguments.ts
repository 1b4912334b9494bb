import { z } from 'zod'

/** The value without nulls on optional fields: some executors send null for what is missing. */
export function dropNulls(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const { element } = inner
    return element instanceof z.ZodType ? value.map((item) => dropNulls(element, item)) : value
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return value
  const kept = Object.entries(value).flatMap(([key, member]) => {
    const field: unknown = Object.hasOwn(inner.shape, key) ? inner.shape[key] : undefined
    if (!(field instanceof z.ZodType)) return [[key, member] as const]
    const missing = member === null && field.safeParse(undefined).success
    if (missing && !field.safeParse(null).success) return []
    return [[key, dropNulls(field, member)] as const]
  })
  return Object.fromEntries(kept)
}

function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  if (!wrapped) return schema
  const inner: unknown = schema.unwrap()
  return inner instanceof z.ZodType ? unwrap(inner) : schema
}

/** What no argument may hold, wherever it is; undefined when all is well. Recursion is bounded by the depth limit. */
export function findUnsafe(value: unknown, path: readonly PropertyKey[] = []): Unsafe | undefined {
  if (typeof value === 'string') {
    const at = value.search(/[\ud800-\udfff]/u)
    const problem = `half of a character (a lone surrogate) at position ${at}; send whole characters`
    return at < 0 ? undefined : { path, problem }
  }
  if (Array.isArray(value)) return firstUnsafe(value.entries(), path)
  if (!isRecord(value)) return undefined
  if (Object.hasOwn(value, '__proto__')) {
    return { path: [...path, '__proto__'], problem: 'not allowed as a name; leave it out' }
  }
  return firstUnsafe(Object.entries(value), path)
}

interface Unsafe {
  readonly path: readonly PropertyKey[]
  readonly problem: string
}

function firstUnsafe(
  entries: Iterable<readonly [PropertyKey, unknown]>,
  path: readonly PropertyKey[],
): Unsafe | undefined {
  for (const [key, member] of entries) {
    const found = findUnsafe(member, [...path, key])
    if (found) return found
  }
  return undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

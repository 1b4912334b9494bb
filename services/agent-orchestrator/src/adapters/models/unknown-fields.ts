/** Fields of an answer that we do not know, put together from their pieces. */
export type UnknownFields = Record<string, unknown>

/** Adds the pieces of one delta: text and lists grow, anything else is replaced. */
export function addUnknownFields(
  target: UnknownFields,
  delta: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): void {
  for (const [key, value] of Object.entries(delta)) {
    if (known.has(key) || value === null || value === undefined || value === '') continue
    target[key] = grown(Object.hasOwn(target, key) ? target[key] : undefined, value)
  }
}

function grown(before: unknown, piece: unknown): unknown {
  if (typeof before === 'string' && typeof piece === 'string') return before + piece
  if (Array.isArray(before) && Array.isArray(piece)) return [...listOf(before), ...listOf(piece)]
  return piece
}

function listOf(value: readonly unknown[]): readonly unknown[] {
  return value
}

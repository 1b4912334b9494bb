/** JSON with sorted keys and without blanks: equal values give equal text. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  // JSON has no undefined: JSON.stringify would answer it with undefined, against its type.
  return JSON.stringify(value === undefined ? null : value, (_key, member: unknown) =>
    isRecord(member) ? sorted(member) : member,
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.keys(record)
    .sort()
    .map((key) => [key, record[key]] as const)
  return Object.fromEntries(entries)
}

/** Which tools an agent may see and call: allow first, then deny. */
export interface ToolPolicy {
  /** Empty means all. */
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

/** Whether a tool under any of its names may be seen and called. */
export function isAllowed(policy: ToolPolicy, names: readonly string[]): boolean {
  const listed = policy.allow.length === 0 || names.some((name) => policy.allow.includes(name))
  return listed && !names.some((name) => policy.deny.includes(name))
}

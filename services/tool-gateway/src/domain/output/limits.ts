/** How much of an output a model is shown, and from where on it is kept (S-20). */
export interface OutputLimits {
  readonly maxBytes: number
  readonly maxLines: number
  readonly retentionBytes: number
}

/** A tool that bounds its own output may show this many times more before it is cut. */
const selfBoundedSlack = 4

/** The bounds for a tool: one that bounds itself is only cut when that went wrong, and never kept. */
export function limitsFor(limits: OutputLimits, selfBounded: boolean): OutputLimits {
  if (!selfBounded) return limits
  const maxBytes = limits.maxBytes * selfBoundedSlack
  return { maxBytes, maxLines: limits.maxLines * selfBoundedSlack, retentionBytes: maxBytes }
}

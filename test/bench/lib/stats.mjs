/** The value below which a share of the sorted values lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((left, right) => left - right)
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))
  return sorted[index] ?? Number.NaN
}

export const median = (values) => {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1
    ? sorted[Math.floor(middle)]
    : (sorted[middle - 1] + sorted[middle]) / 2
}

/** What a row of timed actions comes to. */
export function summary(latenciesMs, elapsedMs) {
  return {
    count: latenciesMs.length,
    perSecond: (latenciesMs.length / elapsedMs) * 1000,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  }
}

/** Median over rounds of one figure of one contestant. */
export function medianOf(rounds, name, field) {
  return median(rounds.map((round) => round[name][field]))
}

/** Median of per-round ratios with its spread: only these travel from one machine to another. */
export function ratioOf(rounds, field, name, reference) {
  const ratios = rounds.map((round) => round[name][field] / round[reference][field])
  return { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) }
}

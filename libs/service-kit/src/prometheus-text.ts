import type { Family, Labels, Series } from './metric-family.js'

/** One metric in the Prometheus text format, version 0.0.4. */
export function formatFamily({ name, help, type, series }: Family): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
  const lines = [...series.values()].flatMap((one) =>
    type === 'histogram' ? histogramLines(name, one) : [line(name, one.labels, one.value)],
  )
  return head + lines.join('')
}

function histogramLines(name: string, series: Series): string[] {
  const { labels, bounds, buckets, count, value } = series
  let total = 0
  const cumulative = bounds.map((bound, index) => {
    total += buckets[index] ?? 0
    return line(`${name}_bucket`, { ...labels, le: String(bound) }, total)
  })
  return [
    ...cumulative,
    line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    line(`${name}_sum`, labels, value),
    line(`${name}_count`, labels, count),
  ]
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`)
  return pairs.length === 0 ? `${name} ${value}\n` : `${name}{${pairs.join(',')}} ${value}\n`
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"')
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

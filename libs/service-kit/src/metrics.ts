import { metrics as telemetry } from '@opentelemetry/api'
import { delay } from './delay.js'
import type { Family, Labels, Series } from './metric-family.js'
import { formatFamily } from './prometheus-text.js'

/** Adds to a count that only grows. */
export type Counter = (by?: number, labels?: Labels) => void
/** Says how much there is now. */
export type Gauge = (value: number, labels?: Labels) => void
/** Notes one observation. */
export type Histogram = (value: number, labels?: Labels) => void

/** What a metric is called and means. */
export interface MetricOptions {
  /** Without the prefix, with its unit: `append_seconds`. */
  readonly name: string
  readonly help: string
  /** Upper bounds of a histogram, rising; seconds from 1 ms to 60 s unless told otherwise. */
  readonly buckets?: readonly number[]
}

/** The metrics of a process: handed to OpenTelemetry, and readable as Prometheus text. */
export interface Metrics {
  counter(options: MetricOptions): Counter
  gauge(options: MetricOptions): Gauge
  histogram(options: MetricOptions): Histogram
  /** Runs before each reading: for what has to be looked up. One that fails leaves the last figure. */
  collect(collector: () => Promise<void>): void
  /** Looks everything up and gives all series in the Prometheus text format. */
  scrape(): Promise<string>
  /** All series as they stand. */
  text(): string
}

/** Who reads metrics does not wait for a database that is down. */
const collectMs = 2_000
const mostSeries = 500
const secondsBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]

/** A registry whose metrics are called `<prefix>_<name>`. */
export function createMetrics(prefix: string): Metrics {
  const families = new Map<string, Family>()
  const meter = telemetry.getMeter('sciencediscovery')
  const family = (type: Family['type'], { name, help }: MetricOptions): Family => {
    const full = `${prefix}_${name}`
    const known = families.get(full)
    if (known?.type === type) return known
    if (known) throw new Error(`metric ${full} is a ${known.type} already`)
    const created: Family = { name: full, help, type, series: new Map() }
    families.set(full, created)
    return created
  }
  const collectors: (() => Promise<void>)[] = []
  const text = (): string => [...families.values()].map(formatFamily).join('')
  return {
    collect(collector) {
      collectors.push(collector)
    },
    async scrape() {
      const done = new AbortController()
      const patience = delay(collectMs, done.signal).catch(() => undefined)
      const looking = Promise.allSettled(collectors.map((collector) => collector()))
      await Promise.race([looking, patience])
      done.abort()
      return text()
    },
    counter(options) {
      const own = family('counter', options)
      const instrument = meter.createCounter(own.name, { description: own.help })
      return (by = 1, labels = {}) => {
        seriesOf(own, labels).value += by
        instrument.add(by, labels)
      }
    },
    gauge(options) {
      const own = family('gauge', options)
      const instrument = meter.createGauge(own.name, { description: own.help })
      return (value, labels = {}) => {
        seriesOf(own, labels).value = value
        instrument.record(value, labels)
      }
    },
    histogram(options) {
      const own = family('histogram', options)
      const instrument = meter.createHistogram(own.name, { description: own.help })
      const bounds = options.buckets ?? secondsBuckets
      return (value, labels = {}) => {
        observe(seriesOf(own, labels, bounds), value)
        instrument.record(value, labels)
      }
    },
    text,
  }
}

/** Past the limit everything new shares one series: a label that turns out to be an id must not eat the memory. */
function seriesOf(family: Family, labels: Labels, bounds: readonly number[] = []): Series {
  const key = keyOf(labels)
  const known = family.series.get(key)
  if (known) return known
  if (family.series.size >= mostSeries && !('overflow' in labels)) {
    return seriesOf(family, { overflow: 'true' }, bounds)
  }
  const created: Series = { labels, value: 0, count: 0, bounds, buckets: bounds.map(() => 0) }
  family.series.set(key, created)
  return created
}

function observe(series: Series, value: number): void {
  series.value += value
  series.count += 1
  const index = series.bounds.findIndex((bound) => value <= bound)
  if (index >= 0) series.buckets[index] = (series.buckets[index] ?? 0) + 1
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Names and values that tell series of one metric apart: few values each, never an id. */
export type Labels = Readonly<Record<string, string>>

/** One metric with all its series. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly series: Map<string, Series>
}

/** One combination of labels. Buckets are cumulative only in the text. */
export interface Series {
  readonly labels: Labels
  value: number
  count: number
  readonly bounds: readonly number[]
  readonly buckets: number[]
}

import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.js'

describe('metrics', () => {
  test('a counter adds up per combination of labels, in any order of labels', () => {
    const metrics = createMetrics('gateway')
    const calls = metrics.counter({ name: 'calls_total', help: 'Tool calls.' })
    calls()
    calls(2, { tool: 'run_shell', code: 'ok' })
    calls(3, { code: 'ok', tool: 'run_shell' })
    expect(metrics.text()).toBe(
      [
        '# HELP gateway_calls_total Tool calls.',
        '# TYPE gateway_calls_total counter',
        'gateway_calls_total 1',
        'gateway_calls_total{tool="run_shell",code="ok"} 5',
        '',
      ].join('\n'),
    )
  })

  test('a gauge holds the last value', () => {
    const metrics = createMetrics('view')
    const lag = metrics.gauge({ name: 'lag', help: 'Events behind.' })
    lag(7)
    lag(2)
    expect(metrics.text()).toContain('\nview_lag 2\n')
  })

  test('a histogram counts into cumulative buckets', () => {
    const metrics = createMetrics('run')
    const step = metrics.histogram({ name: 'step_seconds', help: 'Steps.', buckets: [0.1, 1] })
    for (const seconds of [0.05, 0.1, 0.5, 7]) step(seconds, { stage: 'model' })
    expect(metrics.text().split('\n').slice(1, -1)).toEqual([
      '# TYPE run_step_seconds histogram',
      'run_step_seconds_bucket{stage="model",le="0.1"} 2',
      'run_step_seconds_bucket{stage="model",le="1"} 3',
      'run_step_seconds_bucket{stage="model",le="+Inf"} 4',
      'run_step_seconds_sum{stage="model"} 7.65',
      'run_step_seconds_count{stage="model"} 4',
    ])
  })

  test('label values are escaped', () => {
    const metrics = createMetrics('x')
    metrics.counter({ name: 'y', help: 'two\nlines' })(1, { path: 'a"b\\c\nd' })
    expect(metrics.text()).toContain('# HELP x_y two\\nlines\n')
    expect(metrics.text()).toContain('x_y{path="a\\"b\\\\c\\nd"} 1\n')
  })

  test('a label that is an id after all does not grow without bound', () => {
    const metrics = createMetrics('x')
    const calls = metrics.counter({ name: 'calls', help: 'Calls.' })
    for (let n = 0; n < 2_000; n += 1) calls(1, { run: `r${n}` })
    const lines = metrics.text().split('\n')
    expect(lines.length).toBeLessThan(510)
    expect(lines).toContain('x_calls{overflow="true"} 1500')
  })

  test('asking for one metric twice gives one series, as another type it is refused', () => {
    const metrics = createMetrics('x')
    metrics.counter({ name: 'y', help: 'Y.' })(1)
    metrics.counter({ name: 'y', help: 'Y.' })(1)
    expect(metrics.text()).toContain('x_y 2\n')
    expect(() => metrics.gauge({ name: 'y', help: 'Y.' })).toThrow('is a counter already')
  })
})

import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.js'
import { startMetricsServer } from './metrics-server.js'

describe('metrics server', () => {
  test('serves the text at /metrics and nothing else', async () => {
    const metrics = createMetrics('x')
    metrics.counter({ name: 'y', help: 'Y.' })()
    await using server = await startMetricsServer(metrics)
    const base = `http://127.0.0.1:${server.port}`
    const response = await fetch(`${base}/metrics?a=b`)
    expect(response.headers.get('content-type')).toContain('version=0.0.4')
    expect(await response.text()).toBe(metrics.text())
    expect((await fetch(base)).status).toBe(404)
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(404)
  })

  test('a taken port is said', async () => {
    await using server = await startMetricsServer(createMetrics('x'))
    const second = startMetricsServer(createMetrics('x'), { port: server.port })
    await expect(second).rejects.toMatchObject({ code: 'unavailable', details: { field: 'port' } })
  })
})

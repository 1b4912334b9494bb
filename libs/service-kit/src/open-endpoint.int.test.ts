import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { freePorts } from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { connectChannel } from './grpc/channel.js'
import { createLineKeeper } from './grpc/echo-fixture.js'
import { rpcClient } from './grpc/rpc-client.js'
import { createMetrics } from './metrics.js'
import { openEndpoint } from './open-endpoint.js'
import { viewMeters } from './view-meters.js'

const token = 'token-among-services'

describe('the endpoint of a service', () => {
  test('its metrics can be read: calls by method and code, views by their lag', async () => {
    const [metricsPort = 0] = await freePorts(1)
    const metrics = createMetrics('sciencediscovery')
    const meters = viewMeters(metrics)
    meters.watch(() => Promise.resolve([{ view: 'runs', stream: 'RUNS_0', lag: 7 }]))
    meters.applied({ view: 'runs', stream: 'RUNS_0' }, { commits: 3, durationMs: 4 })
    const config = { host: '127.0.0.1', port: 0, token }
    await using endpoint = openEndpoint(
      { ...config, metricsAt: { host: '127.0.0.1', port: metricsPort } },
      { logger: createLineKeeper().logger, metrics },
    )
    endpoint.add(OperationsServiceService, {
      diagnose: () => Promise.resolve({ service: 's', replicaId: 'r', findings: [] }),
    })
    const { address } = await endpoint.start()
    using inside = connectChannel(address, { token })
    await rpcClient(OperationsServiceService, inside).diagnose({})
    using outside = connectChannel(address, { token: 'nobody-knows-this' })
    const refused = rpcClient(OperationsServiceService, outside).diagnose({})
    await expect(refused).rejects.toMatchObject({ code: 'unauthenticated' })
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(text).toContain('sciencediscovery_rpc_seconds_count{method="Diagnose",code="ok"} 1\n')
    expect(text).toContain('{method="Diagnose",code="unauthenticated"} 1\n')
    expect(text).toContain('sciencediscovery_view_lag_commits{view="runs",stream="RUNS_0"} 7\n')
    expect(text).toContain('sciencediscovery_view_commits_total{view="runs",stream="RUNS_0"} 3\n')
  })

  test('one whose metrics cannot be served does not start, and leaves no port behind', async () => {
    const [taken = 0] = await freePorts(1)
    const config = { host: '127.0.0.1', port: 0, token }
    const at = { ...config, metricsAt: { host: '127.0.0.1', port: taken } }
    const parts = { logger: createLineKeeper().logger }
    {
      await using first = openEndpoint(at, parts)
      await first.start()
      await using second = openEndpoint(at, parts)
      await expect(second.start()).rejects.toMatchObject({ code: 'unavailable' })
    }
    await using third = openEndpoint(at, parts)
    await expect(third.start()).resolves.toBeDefined()
  })

  test('a lookup that fails leaves the rest of the metrics readable', async () => {
    const metrics = createMetrics('x')
    metrics.counter({ name: 'y_total', help: 'Y.' })(2)
    metrics.collect(() => Promise.reject(new Error('the database is down')))
    expect(await metrics.scrape()).toContain('x_y_total 2\n')
  })
})

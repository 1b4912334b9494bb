import { createServer, type Server } from 'node:http'
import { PlatformError } from '@sciencediscovery/kernel'
import type { Metrics } from './metrics.js'

/** Where metrics can be read. */
export interface MetricsServer extends AsyncDisposable {
  readonly port: number
}

/** Where to listen: loopback and a free port unless told otherwise. */
export interface MetricsServerOptions {
  readonly host?: string | undefined
  readonly port?: number | undefined
}

/** Serves the metrics at `/metrics` for Prometheus. */
export async function startMetricsServer(
  metrics: Pick<Metrics, 'scrape'>,
  { host = '127.0.0.1', port = 0 }: MetricsServerOptions = {},
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const found = request.method === 'GET' && request.url?.split('?')[0] === '/metrics'
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4' })
      response.end(text)
    }
    if (!found) {
      answer(404, 'metrics are at /metrics\n')
      return
    }
    void metrics.scrape().then((text) => {
      answer(200, text)
    })
  })
  const boundPort = await listen(server, host, port)
  return {
    port: boundPort,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot serve metrics on ${host}:${port}`
      reject(new PlatformError('unavailable', message, { cause, field: 'port' }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

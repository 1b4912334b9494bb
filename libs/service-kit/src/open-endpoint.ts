import type { AccessOptions } from './access/guard.js'
import type { EndpointConfig } from './endpoint-config.js'
import type { Authenticate } from './grpc/authentication.js'
import { authenticatorOf } from './grpc/authenticator.js'
import { createGrpcServer, type GrpcServer } from './grpc/server.js'
import { serviceToken } from './grpc/static-token-auth.js'
import { createLifecycle } from './lifecycle.js'
import type { Logger } from './logger.js'
import { createMetrics, type Metrics } from './metrics.js'
import { startMetricsServer } from './metrics-server.js'

/** What a service adds to the configuration of its endpoint. */
export interface EndpointParts {
  readonly logger: Logger
  /** How roles in projects are found out. */
  readonly access?: Omit<Partial<AccessOptions>, 'table'> | undefined
  /** In place of the tokens of the configuration. */
  readonly authenticate?: Authenticate | undefined
  /** The metrics of the process; calls are counted in them. */
  readonly metrics?: Metrics | undefined
}

/** The server of a service: calls are authenticated, decided about, counted, and its metrics can be read. */
export function openEndpoint(config: EndpointConfig, parts: EndpointParts): GrpcServer {
  const { logger, metrics = createMetrics('sciencediscovery') } = parts
  const { host, port, allowPlaintext, auth, metricsAt } = config
  const tokens = [serviceToken(config.token)]
  const lifecycle = createLifecycle()
  const countCall = callCounter(metrics)
  const server = lifecycle.use(
    createGrpcServer({
      ...{ host, port, allowPlaintext, logger, reflection: config.reflection },
      authenticate: parts.authenticate ?? authenticatorOf({ tokens, auth, allowPlaintext }),
      access: parts.access,
      onCall: countCall,
    }),
  )
  return {
    ...server,
    async start() {
      if (metricsAt) {
        const { port: boundPort } = lifecycle.use(await startMetricsServer(metrics, metricsAt))
        logger.info({ host: metricsAt.host, port: boundPort }, 'metrics are at /metrics')
      }
      return server.start()
    },
    [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
  }
}

function callCounter(
  metrics: Metrics,
): (report: {
  readonly method: string
  readonly code: string
  readonly durationMs: number
}) => void {
  const seconds = metrics.histogram({
    name: 'rpc_seconds',
    help: 'Duration of calls that this process answered, by method and code.',
  })
  return ({ method, code, durationMs }) => {
    seconds(durationMs / 1_000, { method: method.slice(method.lastIndexOf('/') + 1), code })
  }
}

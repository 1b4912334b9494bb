import { Server, type ServerOptions } from '@grpc/grpc-js'
import { PlatformError } from '@sciencediscovery/kernel'
import { accessTable } from '../access/access-table.js'
import { createGuard, type AccessOptions } from '../access/guard.js'
import type { Logger } from '../logger.js'
import { createAdmission } from './admission.js'
import type { Authenticate } from './authentication.js'
import { createCallDesk, type CallReport } from './call-desk.js'
import { createHealth, type Health } from './health.js'
import { defaultMaxMessageBytes } from './limits.js'
import type { Implementation, ServiceDefinition } from './method.js'
import type { RawService } from './raw-service.js'
import { addReflection } from './reflection.js'
import { serveMethod } from './serve-method.js'
import { serverCredentials, type ServerTls } from './transport-security.js'
import { typedService } from './typed-service.js'

/** How a gRPC server listens, whom it trusts, and what it bears. */
export interface GrpcServerOptions {
  /** A host name or address, or `unix:/path` for a socket file, which takes no port. */
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly tls?: ServerTls | undefined
  /** Without TLS a host other than loopback is refused unless this says so: a mesh encrypts below us. */
  readonly allowPlaintext?: boolean | undefined
  readonly authenticate: Authenticate
  /** Who may call what; unless told otherwise the table of the platform, without projects: services and the owner get in. */
  readonly access?: Partial<AccessOptions> | undefined
  /** Whether clients may ask which calls there are; off unless told otherwise. */
  readonly reflection?: boolean | undefined
  readonly logger: Logger
  /** Largest message either way; 16 MiB unless told otherwise. */
  readonly maxMessageBytes?: number | undefined
  /** Per connection; 1,000 unless told otherwise. */
  readonly maxConcurrentStreams?: number | undefined
  /** After this callers connect anew and so find new replicas; 30 min unless told otherwise. */
  readonly maxConnectionAgeMs?: number | undefined
  /** How long running calls may take when the server stops; 5 s unless told otherwise. */
  readonly drainTimeoutMs?: number | undefined
  /** Told of every call that ended: for metrics. */
  readonly onCall?: ((report: CallReport) => void) | undefined
}

/** One gRPC server: services, health, orderly stop. */
export interface GrpcServer extends AsyncDisposable {
  readonly health: Health
  /** Adds a service with one handler per method; each needs its row in the table of access. */
  add<Definition extends ServiceDefinition>(
    definition: Definition,
    implementation: Implementation<Definition>,
  ): void
  /** Adds a service below the message types: a proxy. Who may call is looked at by the door alone. */
  addRaw(service: RawService): void
  /** Listens; the address names the port that was taken. */
  start(): Promise<{ readonly address: string }>
}

/** Builds the one gRPC server of a process. */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { host, port, logger, drainTimeoutMs = 5_000 } = options
  const maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes
  const security = serverCredentials(host, options.tls, options.allowPlaintext ?? false)
  const guard = createGuard({ table: accessTable, ...options.access })
  const door = { authenticate: options.authenticate, guard }
  const admission = createAdmission(door, (method, error) => {
    desk.close(undefined, method, error)
  })
  const server = new Server({
    ...limits(options, maxMessageBytes),
    interceptors: [admission.interceptor],
  })
  const desk = createCallDesk({ admission, logger, maxMessageBytes, onCall: options.onCall })
  const health = createHealth()
  const mount = (service: RawService): void => {
    for (const method of service) {
      if (serveMethod(server, method, desk)) continue
      throw new PlatformError('already_exists', `${method.path} is served already`)
    }
  }
  mount(health.service)

  return {
    health,
    add: (definition, implementation) => {
      for (const { path } of Object.values(definition)) guard.requireRule(path)
      mount(typedService(definition, implementation, guard))
    },
    addRaw: (service) => {
      for (const { path } of service) guard.requireRule(path)
      mount(service)
    },
    start: async () => {
      if (options.reflection === true) await addReflection(server)
      if (host.startsWith('unix:')) {
        await bind(server, host, security)
        health.started()
        return { address: host }
      }
      const name = host.includes(':') ? `[${host}]` : host
      const boundPort = await bind(server, `${name}:${port}`, security)
      health.started()
      return { address: `${name}:${boundPort}` }
    },
    async [Symbol.asyncDispose]() {
      health.set('', false)
      health.set('readiness', false)
      await stop(server, desk, drainTimeoutMs)
    },
  }
}

function limits(options: GrpcServerOptions, maxMessageBytes: number): ServerOptions {
  return {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_concurrent_streams': options.maxConcurrentStreams ?? 1_000,
    'grpc.max_connection_age_ms': options.maxConnectionAgeMs ?? 30 * 60_000,
    'grpc.max_connection_age_grace_ms': 5 * 60_000,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  }
}

type Security = ReturnType<typeof serverCredentials>

function bind(server: Server, address: string, security: Security): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, security, (error, port) => {
      if (!error) resolve(port)
      else {
        const message = `cannot listen on ${address}`
        reject(new PlatformError('unavailable', message, { cause: error, field: 'port' }))
      }
    })
  })
}

/** Streams end at once (callers resume them elsewhere), other calls get the time, the rest is cut. */
async function stop(
  server: Server,
  desk: ReturnType<typeof createCallDesk>,
  drainTimeoutMs: number,
): Promise<void> {
  const stopping = new PlatformError('unavailable', 'the server is stopping')
  const closed = new Promise<void>((resolve) => {
    server.tryShutdown(() => {
      resolve()
    })
  })
  desk.abort(stopping, 'serverStream')
  const cut = setTimeout(() => {
    desk.abort(stopping)
    setImmediate(() => {
      server.forceShutdown()
    })
  }, drainTimeoutMs)
  await closed
  clearTimeout(cut)
}

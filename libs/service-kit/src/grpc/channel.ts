import { isIP } from 'node:net'
import { Client, connectivityState, type ClientOptions } from '@grpc/grpc-js'
import { PlatformError, invalid } from '@sciencediscovery/kernel'
import { toAbortError } from '../abort-error.js'
import { createCallScopes } from './call-scopes.js'
import { readStream, sendStream, sendUnary, type RawCallOptions } from './raw-calls.js'
import { messageTooLarge } from './error-status.js'
import { defaultMaxMessageBytes } from './limits.js'
import { channelCredentials, type ChannelTls } from './transport-security.js'

/** How to reach a server, and as whom. */
export interface ChannelOptions {
  /** Sent with every call; a function is asked anew each time, for tokens that expire. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  readonly tls?: ChannelTls | undefined
  /** Largest message either way; 16 MiB unless told otherwise. */
  readonly maxMessageBytes?: number | undefined
  /** How long a call waits for a connection before it is `unavailable`; 5 s unless told otherwise. */
  readonly connectTimeoutMs?: number | undefined
}

/** A connection to a service by its address, shared by all calls to it. */
export interface Channel extends Disposable {
  readonly address: string
  unary(path: string, request: Buffer, options?: RawCallOptions): Promise<Buffer>
  serverStream(path: string, request: Buffer, options?: RawCallOptions): AsyncIterable<Buffer>
  clientStream(
    path: string,
    requests: AsyncIterable<Buffer>,
    options?: RawCallOptions,
  ): Promise<Buffer>
  /** Open calls end as cancelled. */
  close(): void
}

/**
 * A channel to `host:port` (all addresses of the name in turn), `unix:path`, or a list of IP addresses
 * `10.0.0.1:7000,10.0.0.2:7000`. Connects when first used; one that is down is passed over.
 */
export function connectChannel(address: string, options: ChannelOptions = {}): Channel {
  const { token, connectTimeoutMs = 5_000 } = options
  const maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes
  const credentials = channelCredentials(options.tls)
  const client = new Client(toTarget(address), credentials, clientOptions(options, maxMessageBytes))

  const scopes = createCallScopes(address)

  const prepare = async (given: RawCallOptions, signal: AbortSignal): Promise<RawCallOptions> => {
    if (signal.aborted) throw toAbortError(signal)
    await waitForReady(client, address, connectTimeoutMs, { ...given, signal })
    if (given.authorization !== undefined || token === undefined) return { ...given, signal }
    const bearer = typeof token === 'string' ? token : await token()
    return { ...given, signal, authorization: `Bearer ${bearer}` }
  }
  const checked = (request: Buffer): Buffer => {
    if (request.length <= maxMessageBytes) return request
    throw messageTooLarge('the request', maxMessageBytes, request.length)
  }
  const close = (): void => {
    scopes.closeAll()
    client.close()
  }
  return {
    address,
    async unary(path, request, given = {}) {
      using scope = scopes.open(given.signal)
      const options = await prepare(given, scope.signal)
      return await sendUnary(client, path, checked(request), options)
    },
    async *serverStream(path, request, given = {}) {
      using scope = scopes.open(given.signal)
      const options = await prepare(given, scope.signal)
      yield* readStream(client, path, checked(request), options)
    },
    async clientStream(path, requests, given = {}) {
      using scope = scopes.open(given.signal)
      const options = await prepare(given, scope.signal)
      return await sendStream(client, path, checkEach(requests, checked), options)
    },
    close,
    [Symbol.dispose]: close,
  }
}

/** The resolver of names takes one name; of IP addresses there is one that takes a list. */
function toTarget(address: string): string {
  if (!address.includes(',')) return address
  const parts = address.split(',').map((part) => part.trim())
  const versions = new Set(
    parts.map((part) => isIP(part.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''))),
  )
  const [version] = versions
  if (versions.size > 1 || version === undefined || version === 0) {
    throw invalid(
      'address',
      `${address} is no list of IP addresses of one kind`,
      'give a name that resolves to all replicas, or IP:PORT separated by commas',
    )
  }
  return `ipv${version}:${parts.join(',')}`
}

async function* checkEach(
  requests: AsyncIterable<Buffer>,
  checked: (request: Buffer) => Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const request of requests) yield checked(request)
}

function clientOptions(options: ChannelOptions, maxMessageBytes: number): ClientOptions {
  const serverName = options.tls?.serverName
  return {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    // New replicas are found when a connection ends by age and names are asked again.
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.dns_min_time_between_resolutions_ms': 5_000,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    // A proxy variable meant for the web must not carry our calls.
    'grpc.enable_http_proxy': 0,
    'grpc.use_local_subchannel_pool': 1,
    ...(serverName !== undefined && { 'grpc.ssl_target_name_override': serverName }),
  }
}

function waitForReady(
  client: Client,
  address: string,
  connectTimeoutMs: number,
  { signal, deadlineAt }: RawCallOptions,
): Promise<void> | undefined {
  if (client.getChannel().getConnectivityState(false) === connectivityState.READY) return undefined
  const giveUpAt = Math.min(deadlineAt ?? Infinity, Date.now() + connectTimeoutMs)
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      if (signal) reject(toAbortError(signal))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    client.waitForReady(giveUpAt, (cause) => {
      signal?.removeEventListener('abort', onAbort)
      if (!cause) resolve()
      else reject(new PlatformError('unavailable', `${address} cannot be reached`, { cause }))
    })
  })
}

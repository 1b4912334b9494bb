import { z } from 'zod'
import { accessRows } from '../access/access-rule.js'
import { connectChannel, type Channel, type ChannelOptions } from './channel.js'
import type { Implementation } from './method.js'
import { rpcClient, type RpcClient } from './rpc-client.js'
import { createGrpcServer, type GrpcServer, type GrpcServerOptions } from './server.js'
import { staticTokenAuth } from './static-token-auth.js'
import type { Logger } from '../logger.js'

/** For the tests of this folder: a service of the generated shape, with JSON for messages. */
const SaidSchema = z.object({ text: z.string(), idempotencyKey: z.string().optional() })
const CountSchema = z.object({ to: z.number(), size: z.number().optional() })
const TotalSchema = z.object({ items: z.number(), sizeBytes: z.number() })
type Said = z.infer<typeof SaidSchema>
type Count = z.infer<typeof CountSchema>
type Total = z.infer<typeof TotalSchema>

const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const reader =
  <Schema extends z.ZodType>(schema: Schema) =>
  (bytes: Buffer): z.output<Schema> =>
    schema.parse(JSON.parse(bytes.toString()))
const toSaid = reader(SaidSchema)
const toCount = reader(CountSchema)
const toTotal = reader(TotalSchema)

export const EchoService = {
  sayBack: {
    path: '/sciencediscovery.echo.v1.EchoService/SayBack' as const,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: Said): Buffer => toBytes(value),
    requestDeserialize: (bytes: Buffer): Said => toSaid(bytes),
    responseSerialize: (value: Said): Buffer => toBytes(value),
    responseDeserialize: (bytes: Buffer): Said => toSaid(bytes),
  },
  watchCount: {
    path: '/sciencediscovery.echo.v1.EchoService/WatchCount' as const,
    requestStream: false as const,
    responseStream: true as const,
    requestSerialize: (value: Count): Buffer => toBytes(value),
    requestDeserialize: (bytes: Buffer): Count => toCount(bytes),
    responseSerialize: (value: Said): Buffer => toBytes(value),
    responseDeserialize: (bytes: Buffer): Said => toSaid(bytes),
  },
  upload: {
    path: '/sciencediscovery.echo.v1.EchoService/Upload' as const,
    requestStream: true as const,
    responseStream: false as const,
    requestSerialize: (value: Said): Buffer => toBytes(value),
    requestDeserialize: (bytes: Buffer): Said => toSaid(bytes),
    responseSerialize: (value: Total): Buffer => toBytes(value),
    responseDeserialize: (bytes: Buffer): Total => toTotal(bytes),
  },
} as const

export type Echo = Implementation<typeof EchoService>

/** What the service does unless a test says otherwise. */
export const echo: Echo = {
  sayBack: (request) => Promise.resolve(request),
  async *watchCount({ to, size = 0 }) {
    for (let n = 1; n <= to; n += 1) {
      await Promise.resolve()
      yield { text: `${n}`.padEnd(size, '.') }
    }
  },
  async upload(requests) {
    let items = 0
    let sizeBytes = 0
    for await (const { text } of requests) {
      items += 1
      sizeBytes += text.length
    }
    return { items, sizeBytes }
  },
}

/** A line that was logged. */
export interface LoggedLine {
  readonly level: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A logger that keeps its lines. */
export function createLineKeeper(): { logger: Logger; lines: LoggedLine[] } {
  const lines: LoggedLine[] = []
  const keep =
    (level: string) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      lines.push({ level, fields, message })
    }
  const logger: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: () => logger,
  }
  return { logger, lines }
}

export const token = 'token-of-ada'
export const authenticate = staticTokenAuth([
  { token, principal: { id: 'ada', roles: ['member'] } },
])

/** Everybody with a token may call everything. */
export const echoAccess = {
  table: new Map(
    accessRows(EchoService, {
      sayBack: { by: 'person' },
      watchCount: { by: 'person' },
      upload: { by: 'person' },
    }),
  ),
}

/** A running server, a channel to it and a client on it. */
export interface EchoSetup extends AsyncDisposable {
  readonly server: GrpcServer
  readonly address: string
  readonly channel: Channel
  readonly client: RpcClient<typeof EchoService>
  readonly lines: readonly LoggedLine[]
  connect(options?: ChannelOptions): { channel: Channel; client: RpcClient<typeof EchoService> }
}

/** Starts the service on a free loopback port. */
export async function startEcho(
  implementation: Partial<Echo> = {},
  options: Partial<GrpcServerOptions> = {},
): Promise<EchoSetup> {
  const { logger, lines } = createLineKeeper()
  const at = { host: '127.0.0.1', port: 0 }
  const server = createGrpcServer({ ...at, authenticate, access: echoAccess, logger, ...options })
  server.add(EchoService, { ...echo, ...implementation })
  const { address } = await server.start()
  const channels: Channel[] = []
  const connect: EchoSetup['connect'] = (given) => {
    const channel = connectChannel(address, given ?? { token })
    channels.push(channel)
    return { channel, client: rpcClient(EchoService, channel) }
  }
  return {
    server,
    address,
    lines,
    ...connect(),
    connect,
    async [Symbol.asyncDispose]() {
      for (const channel of channels) channel.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** The items of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}

import { invalid } from '@sciencediscovery/kernel'
import {
  passedOn,
  type Channel,
  type RawMethod,
  type RawService,
  type RpcMethod,
  type ServiceDefinition,
} from '@sciencediscovery/service-kit'

/** Channels by runner pool. */
export type PoolChannels = ReadonlyMap<string, Channel>

/**
 * A service that every pool has: a call goes, as it is, to the pool that its request names in
 * `runner_id`. With one pool nothing has to be named.
 */
export function passToPool(definition: ServiceDefinition, pools: PoolChannels): RawService {
  const [first] = pools.values()
  if (!first)
    throw invalid('runnerAddresses', 'names no pool', 'give the address of one pool at least')
  return Object.values(definition).map((method) =>
    toProxy(method, (request) => (pools.size === 1 ? first : channelOf(method, pools, request))),
  )
}

/** Calls that stream their requests name no pool; no service of the pools has one. */
function toProxy(method: RpcMethod, channelFor: (request: Buffer) => Channel): RawMethod {
  const { path } = method
  return method.responseStream
    ? {
        kind: 'serverStream',
        path,
        handle: (request, call) => channelFor(request).serverStream(path, request, passedOn(call)),
      }
    : {
        kind: 'unary',
        path,
        handle: async (request, call) => channelFor(request).unary(path, request, passedOn(call)),
      }
}

function channelOf(method: RpcMethod, pools: PoolChannels, request: Buffer): Channel {
  const pool = poolOf(method.requestDeserialize(request))
  const channel = pools.get(pool)
  if (channel) return channel
  const known = [...pools.keys()].join(', ')
  throw invalid(
    'runner_id',
    `pool ${JSON.stringify(pool)} is not known here`,
    `name one of ${known}`,
  )
}

function poolOf(request: unknown): string {
  const named = typeof request === 'object' && request !== null && 'runnerId' in request
  return named && typeof request.runnerId === 'string' ? request.runnerId : ''
}

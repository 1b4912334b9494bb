import { PlatformError } from '@sciencediscovery/kernel'
import type { Guard } from '../access/guard.js'
import type { Call } from './call.js'
import { guarded, isAsyncIterable, type AnyHandler, type Handlers } from './guarded-handlers.js'
import { decodeRequest } from './message-codec.js'
import type { Implementation, RpcMethod, ServiceDefinition } from './method.js'
import type { RawMethod, RawService } from './raw-service.js'

/** A service whose handlers see messages instead of bytes. */
export function typedService<Definition extends ServiceDefinition>(
  definition: Definition,
  implementation: Implementation<Definition>,
  guard: Guard,
): RawService
export function typedService(
  definition: ServiceDefinition,
  implementation: Handlers,
  guard: Guard,
): RawService {
  return bindService(definition, guarded(definition, implementation, guard))
}

/** The same for a definition whose types are not known: each handler parses its request. */
export function bindService(definition: ServiceDefinition, implementation: Handlers): RawService {
  return Object.entries(definition).map(([name, method]) => {
    const handler = implementation[name]
    if (!handler) throw new PlatformError('bug', `no handler for ${method.path}`)
    return toRawMethod(method, handler)
  })
}

function toRawMethod(method: RpcMethod, handler: AnyHandler): RawMethod {
  const { path } = method
  if (method.requestStream && method.responseStream) {
    throw new PlatformError('bug', `${path} streams both ways, which is not supported`)
  }
  if (method.requestStream) {
    const handle = async (requests: AsyncIterable<Buffer>, call: Call): Promise<Buffer> =>
      method.responseSerialize(await handler(decodeEach(method, requests), call))
    return { kind: 'clientStream', path, handle }
  }
  if (method.responseStream) {
    const handle = (request: Buffer, call: Call): AsyncIterable<Buffer> =>
      encodeEach(method, () => handler(decodeRequest(method, request), call))
    return { kind: 'serverStream', path, handle }
  }
  const handle = async (request: Buffer, call: Call): Promise<Buffer> =>
    method.responseSerialize(await handler(decodeRequest(method, request), call))
  return { kind: 'unary', path, handle }
}

async function* decodeEach(
  method: RpcMethod,
  requests: AsyncIterable<Buffer>,
): AsyncGenerator<unknown, void, undefined> {
  for await (const request of requests) yield decodeRequest(method, request)
}

async function* encodeEach(
  method: RpcMethod,
  start: () => unknown,
): AsyncGenerator<Buffer, void, undefined> {
  const responses = start()
  if (!isAsyncIterable(responses)) {
    throw new PlatformError('bug', `the handler of ${method.path} gave no stream`)
  }
  for await (const response of responses) yield method.responseSerialize(response)
}

import type { RawCall } from './call.js'
import type { Channel } from './channel.js'
import type { RpcMethod, ServiceDefinition } from './method.js'
import type { RawCallOptions } from './raw-calls.js'
import type { RawMethod, RawService } from './raw-service.js'

/**
 * A service that hands every call on as it is: bytes, deadline, cancellation, the caller's identity and
 * trace go through, and so do errors. `channelFor` names the server of each call.
 */
export function proxyService(
  definition: ServiceDefinition,
  channelFor: (call: RawCall) => Channel,
): RawService {
  return Object.values(definition).map((method) => toProxy(method, channelFor))
}

function toProxy(
  { path, ...method }: RpcMethod,
  channelFor: (call: RawCall) => Channel,
): RawMethod {
  if (method.requestStream) {
    return {
      kind: 'clientStream',
      path,
      handle: async (requests, call) =>
        channelFor(call).clientStream(path, requests, passedOn(call)),
    }
  }
  if (method.responseStream) {
    return {
      kind: 'serverStream',
      path,
      handle: (request, call) => channelFor(call).serverStream(path, request, passedOn(call)),
    }
  }
  return {
    kind: 'unary',
    path,
    handle: async (request, call) => channelFor(call).unary(path, request, passedOn(call)),
  }
}

/** The caller's token ends here: the channel has one of its own, and names for whom it calls. */
export function passedOn({ signal, deadlineAt, traceparent, principal }: RawCall): RawCallOptions {
  return { signal, deadlineAt, traceparent, principal }
}

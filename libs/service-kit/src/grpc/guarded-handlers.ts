import { PlatformError } from '@sciencediscovery/kernel'
import type { Guard } from '../access/guard.js'
import type { Call } from './call.js'
import type { RpcMethod, ServiceDefinition } from './method.js'

/** Any handler; a method type on purpose, see RpcMethod. */
export type AnyHandler = { handle(request: unknown, call: Call): unknown }['handle']
export type Handlers = Readonly<Record<string, AnyHandler>>

/** How long a stream goes on before its caller's role is looked up again. */
const askAgainAfterMs = 10_000

/** The same handlers behind the guard: none sees a request that its caller may not make. */
export function guarded(definition: ServiceDefinition, handlers: Handlers, guard: Guard): Handlers {
  const entries = Object.entries(definition).flatMap(([name, method]) => {
    const handler = handlers[name]
    return handler ? [[name, guardedHandler(method, handler, guard)] as const] : []
  })
  return Object.fromEntries(entries)
}

function guardedHandler(method: RpcMethod, handler: AnyHandler, guard: Guard): AnyHandler {
  if (method.requestStream) {
    return (requests, call) => handler(checkFirst(requests, call, guard), call)
  }
  if (method.responseStream) {
    return (request, call) => checkOften(request, call, { handler, guard })
  }
  return async (request, call) => {
    await guard.check(request, call)
    return handler(request, call)
  }
}

/** The first message says what the upload is about. */
async function* checkFirst(
  requests: unknown,
  call: Call,
  guard: Guard,
): AsyncGenerator<unknown, void, undefined> {
  if (!isAsyncIterable(requests)) throw new PlatformError('bug', 'the requests are no stream')
  let isFirst = true
  for await (const request of requests) {
    if (isFirst) await guard.check(request, call)
    isFirst = false
    yield request
  }
}

/** Who is put out of a project sees no more of it, also on a stream that was open before. */
async function* checkOften(
  request: unknown,
  call: Call,
  { handler, guard }: { readonly handler: AnyHandler; readonly guard: Guard },
): AsyncGenerator<unknown, void, undefined> {
  await guard.check(request, call)
  let checkedAt = performance.now()
  const responses = handler(request, call)
  if (!isAsyncIterable(responses)) throw new PlatformError('bug', 'the handler gave no stream')
  for await (const response of responses) {
    if (performance.now() - checkedAt > askAgainAfterMs) {
      await guard.check(request, call)
      checkedAt = performance.now()
    }
    yield response
  }
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

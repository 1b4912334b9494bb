import type { Channel } from './channel.js'
import { decodeResponse, encodeRequest } from './message-codec.js'
import type { RequestOf, ResponseOf, RpcMethod, ServiceDefinition } from './method.js'
import type { RawCallOptions } from './raw-calls.js'
import { isSafeToRepeat, withRetries } from './retry.js'
import { traceparentOf } from '../trace.js'

/** What goes with one call. */
export interface RpcOptions {
  readonly signal?: AbortSignal | undefined
  /** 30 s for a single answer unless told otherwise; streams have no limit of their own. */
  readonly timeoutMs?: number | undefined
  /** The current span's unless told otherwise. */
  readonly traceparent?: string | undefined
  /** Whether asking twice does it once: decides if `unavailable` is tried again. */
  readonly idempotent?: boolean | undefined
}

/** The calling side of a method. */
export type CallerOf<Method extends RpcMethod> = Method extends { readonly requestStream: true }
  ? (
      requests: AsyncIterable<RequestOf<Method>>,
      options?: RpcOptions,
    ) => Promise<ResponseOf<Method>>
  : Method extends { readonly responseStream: true }
    ? (request: RequestOf<Method>, options?: RpcOptions) => AsyncIterable<ResponseOf<Method>>
    : (request: RequestOf<Method>, options?: RpcOptions) => Promise<ResponseOf<Method>>

/** The calling side of a service: every failure is a PlatformError. */
export type RpcClient<Definition extends ServiceDefinition> = {
  readonly [Name in keyof Definition]: CallerOf<Definition[Name]>
}

/** Any caller; a method type on purpose, see RpcMethod. */
type AnyCaller = { call(request: unknown, options?: RpcOptions): unknown }['call']

const unaryTimeoutMs = 30_000

/** A client of the service over the channel, with no generated classes. */
export function rpcClient<Definition extends ServiceDefinition>(
  definition: Definition,
  channel: Channel,
): RpcClient<Definition>
export function rpcClient(
  definition: ServiceDefinition,
  channel: Channel,
): Readonly<Record<string, AnyCaller>> {
  const entries = Object.entries(definition).map(
    ([name, method]) => [name, callerOf(method, channel)] as const,
  )
  return Object.fromEntries(entries)
}

function callerOf(method: RpcMethod, channel: Channel): AnyCaller {
  if (method.requestStream) {
    return (requests: AsyncIterable<unknown>, options = {}) =>
      upload(method, channel, requests, options)
  }
  return method.responseStream
    ? (request, options = {}) => subscribe(method, channel, request, options)
    : (request, options = {}) => ask(method, channel, request, options)
}

async function ask(
  method: RpcMethod,
  channel: Channel,
  request: unknown,
  options: RpcOptions,
): Promise<unknown> {
  const bytes = encodeRequest(method, request)
  const raw = toRaw(options, unaryTimeoutMs)
  const send = (): Promise<Buffer> => channel.unary(method.path, bytes, raw)
  const repeatable = options.idempotent ?? isSafeToRepeat(method.path, request)
  const response = repeatable ? await withRetries(send, raw) : await send()
  return decodeResponse(method, response)
}

async function* subscribe(
  method: RpcMethod,
  channel: Channel,
  request: unknown,
  options: RpcOptions,
): AsyncGenerator<unknown, void, undefined> {
  const bytes = encodeRequest(method, request)
  for await (const response of channel.serverStream(method.path, bytes, toRaw(options))) {
    yield decodeResponse(method, response)
  }
}

async function upload(
  method: RpcMethod,
  channel: Channel,
  requests: AsyncIterable<unknown>,
  options: RpcOptions,
): Promise<unknown> {
  const response = await channel.clientStream(
    method.path,
    encodeEach(method, requests),
    toRaw(options),
  )
  return decodeResponse(method, response)
}

async function* encodeEach(
  method: RpcMethod,
  requests: AsyncIterable<unknown>,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const request of requests) yield encodeRequest(method, request)
}

function toRaw(options: RpcOptions, defaultTimeoutMs?: number): RawCallOptions {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  return {
    signal: options.signal,
    deadlineAt: timeoutMs === undefined ? undefined : Date.now() + timeoutMs,
    traceparent: options.traceparent ?? traceparentOf(),
  }
}

import type { Call } from './call.js'

/**
 * One method of a generated service definition. Methods syntax on purpose: parameters of methods
 * are compared bivariantly, so one type can hold every method while callers keep the exact ones.
 */
export interface RpcMethod {
  readonly path: string
  readonly requestStream: boolean
  readonly responseStream: boolean
  requestSerialize(value: unknown): Buffer
  requestDeserialize(bytes: Buffer): unknown
  responseSerialize(value: unknown): Buffer
  responseDeserialize(bytes: Buffer): unknown
}

/** A service as ts-proto generates it: method name → method. */
export type ServiceDefinition = Readonly<Record<string, RpcMethod>>

/** The request message of a method. */
export type RequestOf<Method extends RpcMethod> = ReturnType<Method['requestDeserialize']>

/** The response message of a method. */
export type ResponseOf<Method extends RpcMethod> = ReturnType<Method['responseDeserialize']>

/** Handles one request with one response. */
export type Unary<Req, Res> = (request: Req, call: Call) => Promise<Res>

/** Handles one request with any number of responses. */
export type ServerStream<Req, Res> = (request: Req, call: Call) => AsyncIterable<Res>

/** Handles any number of requests with one response. */
export type ClientStream<Req, Res> = (requests: AsyncIterable<Req>, call: Call) => Promise<Res>

/** The handler type that fits a method. */
export type HandlerOf<Method extends RpcMethod> = Method extends {
  readonly requestStream: true
}
  ? ClientStream<RequestOf<Method>, ResponseOf<Method>>
  : Method extends { readonly responseStream: true }
    ? ServerStream<RequestOf<Method>, ResponseOf<Method>>
    : Unary<RequestOf<Method>, ResponseOf<Method>>

/** One handler for every method of a service. */
export type Implementation<Definition extends ServiceDefinition> = {
  readonly [Name in keyof Definition]: HandlerOf<Definition[Name]>
}

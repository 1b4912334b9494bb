import type { sendUnaryData, Server, ServerReadableStream } from '@grpc/grpc-js'
import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import { inSpan, withTraceparent } from '../trace.js'
import { messageTooLarge, toErrorStatus } from './error-status.js'
import type { OpenCall, ServerCall } from './open-call.js'
import type { RawMethod } from './raw-service.js'
import { untilMarked } from './stream-end.js'
import { createStreamWriter } from './stream-writer.js'
import { untilAborted } from './until-aborted.js'

/** What the methods of one server share. */
export interface CallDesk {
  readonly maxMessageBytes: number
  /** Starts a call, or refuses it. */
  open(surface: ServerCall, kind: RawMethod['kind']): OpenCall
  /** Notes how a call ended, and forgets it. */
  close(open: OpenCall | undefined, method: string, error?: unknown): void
}

type OneResponse = (open: OpenCall) => Promise<Buffer>

/** Puts a method on a server. Nothing that a handler does or throws gets past here. */
export function serveMethod(server: Server, method: RawMethod, desk: CallDesk): boolean {
  switch (method.kind) {
    case 'unary':
      return server.register(method.path, unary(method, desk), asIs, asIs, 'unary')
    case 'clientStream':
      return server.register(method.path, clientStream(method, desk), asIs, asIs, 'clientStream')
    case 'serverStream':
      return server.register(method.path, serverStream(method, desk), asIs, asIs, 'serverStream')
  }
}

function unary(method: RawMethod & { kind: 'unary' }, desk: CallDesk) {
  return (surface: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => {
    const handle: OneResponse = ({ call }) => method.handle(surface.request, call)
    void answerOnce(surface, method, desk, handle).then((send) => {
      send(reply)
    })
  }
}

function clientStream(method: RawMethod & { kind: 'clientStream' }, desk: CallDesk) {
  return (surface: ServerReadableStream<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => {
    const requests: AsyncIterable<Buffer> = surface
    const handle: OneResponse = ({ call }) =>
      method.handle(untilMarked(untilAborted(requests, call.signal), surface.metadata), call)
    void answerOnce(surface, method, desk, handle).then((send) => {
      send(reply)
    })
  }
}

async function answerOnce(
  surface: ServerCall,
  method: RawMethod,
  desk: CallDesk,
  handle: OneResponse,
): Promise<(reply: sendUnaryData<Buffer>) => void> {
  let open: OpenCall | undefined
  try {
    const opened = desk.open(surface, method.kind)
    open = opened
    const response = await withTraceparent(opened.call.traceparent, () =>
      inSpan(method.path.slice(1), {}, () => handle(opened)),
    )
    checkSize(response, desk)
    desk.close(open, method.path)
    return (reply) => {
      reply(null, response)
    }
  } catch (error) {
    desk.close(open, method.path, error)
    return (reply) => {
      reply(toErrorStatus(error))
    }
  }
}

function serverStream(method: RawMethod & { kind: 'serverStream' }, desk: CallDesk) {
  return (surface: ServerWritableStream<Buffer, Buffer>): void => {
    void answerMany(surface, method, desk)
  }
}

async function answerMany(
  surface: ServerWritableStream<Buffer, Buffer>,
  method: RawMethod & { kind: 'serverStream' },
  desk: CallDesk,
): Promise<void> {
  let open: OpenCall | undefined
  try {
    const { call } = (open = desk.open(surface, method.kind))
    const writer = createStreamWriter(surface, call.signal)
    const responses = async (): Promise<void> => {
      for await (const response of untilAborted(
        method.handle(surface.request, call),
        call.signal,
      )) {
        checkSize(response, desk)
        await writer.write(response)
      }
    }
    await withTraceparent(call.traceparent, () => inSpan(method.path.slice(1), {}, responses))
    desk.close(open, method.path)
    surface.end()
  } catch (error) {
    desk.close(open, method.path, error)
    // This is how grpc-js wants to be told: it keeps the status and sends it after what was written.
    if (!surface.destroyed) surface.emit('error', toErrorStatus(error))
  }
}

function checkSize(response: Buffer, desk: CallDesk): void {
  if (response.length > desk.maxMessageBytes) {
    throw messageTooLarge('the response', desk.maxMessageBytes, response.length)
  }
}

function asIs(bytes: Buffer): Buffer {
  return bytes
}

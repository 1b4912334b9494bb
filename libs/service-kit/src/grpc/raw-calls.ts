import { Metadata, type CallOptions, type Client } from '@grpc/grpc-js'
import type { ClientWritableStream, ServiceError } from '@grpc/grpc-js'
import { PlatformError } from '@sciencediscovery/kernel'
import { toAbortError } from '../abort-error.js'
import type { Principal } from './call.js'
import { fromErrorStatus } from './error-status.js'
import { setIdentity } from './identity-header.js'
import { announceEnd } from './stream-end.js'
import { createStreamWriter } from './stream-writer.js'
import { untilAborted } from './until-aborted.js'

/** What goes with a call below the message types. */
export interface RawCallOptions {
  readonly signal?: AbortSignal | undefined
  /** When to stop waiting, in milliseconds since the epoch; the server is told. */
  readonly deadlineAt?: number | undefined
  readonly traceparent?: string | undefined
  /** The whole `authorization` header; the channel's token unless given. */
  readonly authorization?: string | undefined
  /** For whom a service makes the call; only services are believed. */
  readonly principal?: Principal | undefined
}

/** One request, one response. */
export function sendUnary(
  client: Client,
  path: string,
  request: Buffer,
  options: RawCallOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, response?: Buffer): void => {
      release()
      if (response) resolve(response)
      else reject(toCallError(error, options.signal))
    }
    const metadata = metadataOf(options)
    const call = client.makeUnaryRequest(
      path,
      asIs,
      asIs,
      request,
      metadata,
      optionsOf(options),
      done,
    )
    const release = onAbort(options.signal, () => {
      call.cancel()
    })
  })
}

/** One request, a stream of responses. Leaving the loop cancels the call. */
export async function* readStream(
  client: Client,
  path: string,
  request: Buffer,
  options: RawCallOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const metadata = metadataOf(options)
  const call = client.makeServerStreamRequest(
    path,
    asIs,
    asIs,
    request,
    metadata,
    optionsOf(options),
  )
  // The loop below hears of errors; one that comes after it has nobody else to hear it.
  call.on('error', () => undefined)
  const cancel = (): void => {
    call.cancel()
  }
  const release = onAbort(options.signal, cancel)
  try {
    const responses: AsyncIterable<Buffer> = call
    yield* responses
  } catch (error) {
    throw toCallError(error, options.signal)
  } finally {
    release()
    cancel()
  }
}

/** A stream of requests, one response. The server may answer before the requests end. */
export async function sendStream(
  client: Client,
  path: string,
  requests: AsyncIterable<Buffer>,
  options: RawCallOptions,
): Promise<Buffer> {
  const answered = new AbortController()
  const metadata = metadataOf(options)
  const endMark = announceEnd(metadata)
  const { call, response } = openStream({ client, path, options, metadata }, answered)
  const release = onAbort(options.signal, () => {
    call.cancel()
  })
  try {
    await pump(requests, call, answered.signal)
    call.end(endMark)
  } catch (error) {
    if (!answered.signal.aborted) {
      call.cancel()
      await response.catch(() => undefined)
      throw error
    }
  } finally {
    void response.then(release, release)
  }
  return response
}

interface StreamStart {
  readonly client: Client
  readonly path: string
  readonly options: RawCallOptions
  readonly metadata: Metadata
}

function openStream(
  { client, path, options, metadata }: StreamStart,
  answered: AbortController,
): { call: ClientWritableStream<Buffer>; response: Promise<Buffer> } {
  let settle: (error: ServiceError | null, value?: Buffer) => void
  const response = new Promise<Buffer>((resolve, reject) => {
    settle = (error, value) => {
      answered.abort()
      if (value) resolve(value)
      else reject(toCallError(error, options.signal))
    }
  })
  response.catch(() => undefined)
  const call = client.makeClientStreamRequest<Buffer, Buffer>(
    path,
    asIs,
    asIs,
    metadata,
    optionsOf(options),
    (error, value) => {
      settle(error, value)
    },
  )
  // The callback above carries the error.
  call.on('error', () => undefined)
  return { call, response }
}

async function pump(
  requests: AsyncIterable<Buffer>,
  call: ClientWritableStream<Buffer>,
  answered: AbortSignal,
): Promise<void> {
  const writer = createStreamWriter(call, answered)
  for await (const request of untilAborted(requests, answered)) await writer.write(request)
}

function metadataOf({ authorization, traceparent, principal }: RawCallOptions): Metadata {
  const metadata = new Metadata()
  if (authorization !== undefined) metadata.set('authorization', authorization)
  if (traceparent !== undefined) metadata.set('traceparent', traceparent)
  if (principal !== undefined) setIdentity(metadata, principal)
  return metadata
}

function optionsOf({ deadlineAt }: RawCallOptions): CallOptions {
  return deadlineAt === undefined ? {} : { deadline: deadlineAt }
}

function toCallError(error: unknown, signal: AbortSignal | undefined): PlatformError {
  if (signal?.aborted === true) return toAbortError(signal)
  if (!isServiceError(error))
    return new PlatformError('unknown', 'the call ended without an answer', { cause: error })
  const answer = fromErrorStatus(error)
  // Nobody here cancelled: the other side went away.
  if (answer.code !== 'cancelled' || error.metadata.get('platform-error-bin').length > 0)
    return answer
  return new PlatformError('unavailable', 'the server closed the call', { cause: error })
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error && 'metadata' in error
}

function onAbort(signal: AbortSignal | undefined, react: () => void): () => void {
  if (signal?.aborted === true) react()
  signal?.addEventListener('abort', react, { once: true })
  return () => signal?.removeEventListener('abort', react)
}

function asIs(bytes: Buffer): Buffer {
  return bytes
}

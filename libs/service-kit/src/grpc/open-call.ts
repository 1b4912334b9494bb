import type { Metadata } from '@grpc/grpc-js'
import { PlatformError } from '@sciencediscovery/kernel'
import type { Admission } from './admission.js'
import type { RawCall } from './call.js'
import { headerOf } from './header.js'

/** What grpc-js gives a handler, whatever its kind. */
export interface ServerCall {
  readonly metadata: Metadata
  getPath(): string
  getPeer(): string
  getDeadline(): Date | number
  on(event: 'cancelled', listener: () => void): unknown
}

/** A call from its first byte to its status. */
export interface OpenCall {
  readonly call: RawCall
  readonly startedAt: number
  /** Ends the call from our side; its handler sees the reason. */
  abort(reason: PlatformError): void
  /** The answer is given: what happens to the connection from now on is no cancellation. */
  finish(): void
}

/** Our deadline counts from the arrival of the call, the caller's from its departure: the caller's passes first. */
const travelMs = 50

/** Builds what the handler sees; throws `unauthenticated` when nobody let the call in. */
export function openCall(surface: ServerCall, admission: Admission): OpenCall {
  const { metadata } = surface
  const principal = admission.principalOf(metadata)
  if (!principal) throw new PlatformError('unauthenticated', 'nobody let this call in')
  const controller = new AbortController()
  const deadlineAt = toMilliseconds(surface.getDeadline())
  let finished = false
  surface.on('cancelled', () => {
    if (finished) return
    const late = deadlineAt !== undefined && Date.now() >= deadlineAt - travelMs
    controller.abort(
      late
        ? new PlatformError('deadline', 'the deadline of the call passed')
        : new PlatformError('cancelled', 'the caller left'),
    )
  })
  const traceparent = headerOf(metadata, 'traceparent')
  const call: RawCall = {
    method: surface.getPath(),
    principal,
    signal: controller.signal,
    peer: surface.getPeer(),
    ...(deadlineAt !== undefined && { deadlineAt }),
    ...(traceparent !== undefined && { traceparent }),
  }
  return {
    call,
    startedAt: performance.now(),
    abort: (reason) => {
      controller.abort(reason)
    },
    finish: () => {
      finished = true
    },
  }
}

function toMilliseconds(deadline: Date | number): number | undefined {
  const milliseconds = Number(deadline)
  return Number.isFinite(milliseconds) ? milliseconds : undefined
}

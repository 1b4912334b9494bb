import { createHash } from 'node:crypto'
import { context, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import type { Attributes, Context, Span, SpanContext } from '@opentelemetry/api'

const tracerName = 'sciencediscovery'
const traceparentShape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Runs the function in a span of this name, linked to another trace when one is given; what it throws is recorded on the span and thrown on. */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  fn: (span: Span) => Promise<T>,
  linkedTo?: string,
): Promise<T> {
  const other = parseTraceparent(linkedTo)
  const links = other ? [{ context: other }] : []
  const options = { attributes, links }
  return trace.getTracer(tracerName).startActiveSpan(name, options, async (span) => {
    try {
      return await fn(span)
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error))
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/**
 * The trace that everything done for one link of a chain belongs to, whichever process does it and
 * however often: made of its name, so that nothing has to be handed on, not even across a crash.
 */
export function chainTraceparent(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex')
  return `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-01`
}

/** The W3C trace context of the current span, to be sent or stored; undefined outside any trace. */
export function traceparentOf(current: Context = context.active()): string | undefined {
  const span = trace.getSpanContext(current)
  if (!span || !trace.isSpanContextValid(span)) return undefined
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  return `00-${span.traceId}-${span.spanId}-${flags}`
}

/** Runs the function as a continuation of the trace; a missing or malformed one starts nothing. */
export function withTraceparent<T>(traceparent: string | undefined, fn: () => T): T {
  const remote = parseTraceparent(traceparent)
  return remote ? context.with(trace.setSpanContext(context.active(), remote), fn) : fn()
}

function parseTraceparent(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceparentShape.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const traceFlags = parseInt(flags, 16) & TraceFlags.SAMPLED
  const remote: SpanContext = { traceId, spanId, traceFlags, isRemote: true }
  return trace.isSpanContextValid(remote) ? remote : undefined
}

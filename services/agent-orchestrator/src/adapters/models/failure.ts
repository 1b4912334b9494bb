import {
  type Clock,
  type ErrorCode,
  isPlatformError,
  PlatformError,
} from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type ModelFailureReason } from '../../model-provider.js'
import { type Redact } from './redact.js'

/** Whose failure it is and what may be said about it. */
export interface FailureContext {
  readonly service: string
  readonly redact: Redact
  readonly now: Clock
}

interface Verdict {
  readonly code: ErrorCode
  readonly reason: ModelFailureReason
}

/** What a failing service said, whichever way it said it. */
export interface ServiceAnswer {
  readonly status: number
  readonly text: string
  readonly retryAfterMs?: number | undefined
}

const textLimit = 300
const overflowHints =
  /context[_ ](?:length|window)|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|reduce the length|request[_ ]too[_ ]large|exceeds? the (?:model'?s? )?(?:max|context)/i
const accountHints =
  /insufficient[_ ](?:quota|balance)|billing[_ ]hard[_ ]limit|credit balance is too low/i

const verdicts: Readonly<Record<number, Verdict>> = {
  401: { code: 'unauthenticated', reason: 'unauthorized' },
  402: { code: 'forbidden', reason: 'unauthorized' },
  403: { code: 'forbidden', reason: 'unauthorized' },
  408: { code: 'deadline', reason: 'timeout' },
  409: { code: 'unavailable', reason: 'server_error' },
  425: { code: 'unavailable', reason: 'server_error' },
  429: { code: 'exhausted', reason: 'rate_limited' },
}

const statusOfType: Readonly<Record<string, number>> = {
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  invalid_request_error: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  timeout_error: 408,
  overloaded_error: 529,
}

function verdictOf({ status, text }: ServiceAnswer): Verdict {
  if ([400, 413, 422, 429].includes(status) && overflowHints.test(text))
    return { code: 'refused', reason: 'context_overflow' }
  // An empty account answers 429 or 400 as well; waiting does not fill it.
  if ([400, 429].includes(status) && accountHints.test(text))
    return { code: 'forbidden', reason: 'unauthorized' }
  const listed = verdicts[status]
  if (listed !== undefined) return listed
  return status >= 500
    ? { code: 'unavailable', reason: 'server_error' }
    : { code: 'invalid', reason: 'semantic_error' }
}

/** The failure that an HTTP status stands for. */
export function failureOfAnswer(context: FailureContext, answer: ServiceAnswer): PlatformError {
  const { code, reason } = verdictOf(answer)
  const text = context.redact(answer.text).replace(/\s+/g, ' ').trim().slice(0, textLimit)
  const redirect = answer.status >= 300 && answer.status < 400
  const said = redirect ? 'a redirect, set the base URL to the final address' : text
  return new PlatformError(
    code,
    `${context.service} answered ${String(answer.status)}: ${said || 'no text'}`,
    {
      reason,
      ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
    },
  )
}

/** A failure of the way to the service. */
export function transportFailure(context: FailureContext, text: string): PlatformError {
  const said = context.redact(text).replace(/\s+/g, ' ').slice(0, textLimit)
  return new PlatformError('unavailable', `${context.service} connection failed: ${said}`, {
    reason: 'transport_error',
  })
}

/** After the first streamed byte nobody knows what was done: the same failure, not to be retried. */
export function midStream(failure: PlatformError): PlatformError {
  return new PlatformError(
    'unknown',
    `${failure.message} (after the answer had begun)`,
    failure.details,
  )
}

const BodySchema = z.object({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
})
const SdkErrorSchema = z.object({
  message: z.string(),
  status: z.number().optional(),
  headers: z.instanceof(Headers).optional(),
  error: z.unknown(),
})

/** Any error of an SDK call as ours; the original is dropped, since it may hold headers and bodies. */
export function toModelFailure(context: FailureContext, error: unknown): PlatformError {
  if (isPlatformError(error)) return error
  if (error instanceof SyntaxError) return transportFailure(context, 'a chunk that is not JSON')
  if (error instanceof z.ZodError) return transportFailure(context, 'a chunk of another shape')
  const sdk = SdkErrorSchema.safeParse(error)
  if (!sdk.success) return transportFailure(context, 'an unreadable error')
  const { status, error: body, message } = sdk.data
  const known = status ?? statusOfBody(body)
  if (known !== undefined) {
    const text = textOf(body) ?? message.replace(/^\d{3} /, '')
    const retryAfterMs = retryAfter(sdk.data.headers, context.now)
    return failureOfAnswer(context, { status: known, text, retryAfterMs })
  }
  const text = innermost(error, message)
  if (!/time(?:d )?out/i.test(`${message} ${text}`)) return transportFailure(context, text)
  return new PlatformError('deadline', `${context.service} did not answer in time`, {
    reason: 'timeout',
  })
}

function bodyOf(body: unknown): z.infer<typeof BodySchema> | undefined {
  const nested = z.object({ error: BodySchema }).safeParse(body)
  if (nested.success) return nested.data.error
  return BodySchema.safeParse(body).data
}

/** An error inside a 200 stream has no status: its type or its numeric code says it. */
function statusOfBody(body: unknown): number | undefined {
  const inner = bodyOf(body)
  if (inner === undefined) return undefined
  const { code, type } = inner
  if (typeof code === 'number' && code >= 400 && code < 600) return code
  return statusOfType[String(code)] ?? statusOfType[String(type)] ?? 500
}

function textOf(body: unknown): string | undefined {
  const { code, type, message } = bodyOf(body) ?? {}
  return message === undefined ? undefined : `${String(code ?? type ?? 'error')}: ${message}`
}

function innermost(error: unknown, fallback: string): string {
  let text = fallback
  let cause: unknown = error instanceof Error ? error.cause : undefined
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    text = cause.message === '' ? text : cause.message
    cause = cause.cause
  }
  return text
}

function retryAfter(headers: Headers | undefined, now: Clock): number | undefined {
  const millis = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (Number.isFinite(millis)) return Math.max(0, Math.ceil(millis))
  const header = headers?.get('retry-after') ?? ''
  if (/^\d+(?:\.\d+)?$/.test(header.trim())) return Math.ceil(Number.parseFloat(header) * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now())
}

import { type MsgHdrs, headers } from 'nats'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type ApiError, fromApiError, fromReadFailure, fromWriteFailure } from './nats-failure.js'
import { type NatsLink } from './nats-connection.js'

const ErrorSchema = z.object({
  error: z
    .object({
      code: z.number(),
      err_code: z.number().optional(),
      description: z.string().optional(),
    })
    .optional(),
})
const PubAckSchema = z.object({
  stream: z.string(),
  seq: z.number(),
  duplicate: z.boolean().optional(),
})
const StoredMessageSchema = z.object({
  message: z.object({
    subject: z.string(),
    seq: z.number(),
    data: z.string().default(''),
    hdrs: z.string().optional(),
  }),
})

/** A message as the leader has it. */
export interface StoredMessage {
  readonly subject: string
  readonly sequence: number
  readonly payload: Uint8Array
}

/** What the server says about a publish. */
export interface PublishAck {
  readonly stream: string
  readonly sequence: number
  readonly duplicate: boolean
}

export interface Publish {
  readonly stream: string
  readonly subject: string
  readonly payload: Uint8Array
  readonly expectedSequence: number
  readonly messageId?: string
  readonly signal?: AbortSignal | undefined
}

/** The few calls of the JetStream API that the ports need, with our errors. */
export class JetStreamApi {
  readonly link: NatsLink
  readonly timeoutMs: number

  constructor(link: NatsLink, timeoutMs: number) {
    this.link = link
    this.timeoutMs = timeoutMs
  }

  /** Calls `$JS.API.<call>` and parses the answer. */
  async call<T>(
    call: string,
    body: unknown,
    schema: z.ZodType<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const payload = body === undefined ? '' : JSON.stringify(body)
    try {
      const answer = await this.link.request(`$JS.API.${call}`, payload, {
        timeoutMs: this.timeoutMs,
        signal,
      })
      return schema.parse(refuseError(answer.json(), call))
    } catch (error) {
      throw fromReadFailure(error, call)
    }
  }

  /** Publishes when the subject's last message is at the expected sequence. */
  async publish(publish: Publish): Promise<PublishAck> {
    const { stream, subject, payload, signal } = publish
    if (signal?.aborted) throw new PlatformError('cancelled', 'the caller left')
    try {
      const setting = { timeoutMs: this.timeoutMs, headers: headersOf(publish), signal }
      const answer = await this.link.request(subject, payload, setting)
      const ack = PubAckSchema.parse(refuseError(answer.json(), `append to ${subject}`))
      if (ack.stream !== stream) throw new Error(`stored in ${ack.stream}, not in ${stream}`)
      return { stream: ack.stream, sequence: ack.seq, duplicate: ack.duplicate === true }
    } catch (error) {
      throw writeFailure(error, `append to ${subject}`)
    }
  }

  /** The last message of a subject, or its first at or after a sequence, as the leader tells it. */
  async message(
    stream: string,
    query:
      { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj?: string },
    signal?: AbortSignal,
  ): Promise<StoredMessage | undefined> {
    try {
      const { message } = await this.call(
        `STREAM.MSG.GET.${stream}`,
        query,
        StoredMessageSchema,
        signal,
      )
      const payload = Buffer.from(message.data, 'base64')
      return { subject: message.subject, sequence: message.seq, payload }
    } catch (error) {
      const missing = error instanceof PlatformError && error.code === 'not_found'
      if (missing && isNoMessage(error)) return undefined
      throw error
    }
  }
}

/** 10037: no such message. 10059 would be: no such stream. */
function isNoMessage(error: PlatformError): boolean {
  const cause = ErrorSchema.shape.error.safeParse(error.cause)
  return cause.success && cause.data?.err_code === 10037
}

function headersOf({ stream, expectedSequence, messageId }: Publish): MsgHdrs {
  const sent = headers()
  sent.set('Nats-Expected-Stream', stream)
  sent.set('Nats-Expected-Last-Subject-Sequence', String(expectedSequence))
  if (messageId !== undefined) sent.set('Nats-Msg-Id', messageId)
  return sent
}

function refuseError(answer: unknown, what: string): unknown {
  const { error } = ErrorSchema.parse(answer)
  if (error) throw fromApiError(error, what)
  return answer
}

/** Sent and not answered, for whatever reason, may have landed. A server that is not able to answer
 * has perhaps stored it, too: only a refusal that names its reason is one. */
function writeFailure(error: unknown, what: string): PlatformError {
  const failure = fromWriteFailure(error, what)
  const perhapsLanded =
    failure.code === 'cancelled' || (failure.code === 'unavailable' && isApiError(failure.cause))
  return perhapsLanded ? new PlatformError('unknown', failure.message, { cause: failure }) : failure
}

function isApiError(cause: unknown): cause is ApiError {
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 503
}

import { z } from 'zod'
import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { type JetStreamApi } from './jetstream-api.js'

const ConsumerSchema = z.object({
  name: z.string(),
  num_pending: z.number(),
  num_ack_pending: z.number(),
  config: z.object({
    ack_wait: z.number().optional(),
    max_deliver: z.number().optional(),
    max_ack_pending: z.number().optional(),
    backoff: z.array(z.number()).nullish(),
  }),
})

/** A consumer as the server describes it. */
export type ConsumerState = z.infer<typeof ConsumerSchema>

export interface DurableSetting {
  readonly name: string
  readonly ackWaitMs: number
  readonly deliverPolicy: 'new' | 'all'
  readonly filterSubject?: string
}

const maxAckPending = 100_000

/** Reads a consumer; undefined when it is not there. */
export async function consumerState(
  api: JetStreamApi,
  stream: string,
  name: string,
): Promise<ConsumerState | undefined> {
  try {
    return await api.call(`CONSUMER.INFO.${stream}.${name}`, undefined, ConsumerSchema)
  } catch (error) {
    if (isPlatformError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

/** Creates the durable consumer when it is missing, updates its ack wait, and reads back what was kept of it. */
export async function ensureDurable(
  api: JetStreamApi,
  stream: string,
  setting: DurableSetting,
): Promise<void> {
  const wanted = {
    durable_name: setting.name,
    ack_policy: 'explicit',
    ack_wait: setting.ackWaitMs * 1_000_000,
    max_deliver: -1,
    max_ack_pending: maxAckPending,
    deliver_policy: setting.deliverPolicy,
    replay_policy: 'instant',
    ...(setting.filterSubject === undefined ? {} : { filter_subject: setting.filterSubject }),
  }
  const known = await consumerState(api, stream, setting.name)
  if (known && matches(known, wanted)) return
  const body = { stream_name: stream, config: wanted }
  const kept = await api.call(
    `CONSUMER.DURABLE.CREATE.${stream}.${setting.name}`,
    body,
    ConsumerSchema,
  )
  if (!matches(kept, wanted)) {
    throw new PlatformError(
      'bug',
      `consumer ${setting.name} of ${stream} did not keep what it was asked`,
      {
        remedy: 'delete the consumer: it is made anew at the end of the stream',
      },
    )
  }
}

/** Creates a reader's consumer, gone by itself when it is not used. Gives its name. */
export async function createReader(
  api: JetStreamApi,
  stream: string,
  from: { readonly sequence: number; readonly filterSubject?: string | undefined },
): Promise<string> {
  const config = {
    ack_policy: 'none',
    deliver_policy: 'by_start_sequence',
    opt_start_seq: from.sequence,
    replay_policy: 'instant',
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: 30_000_000_000,
    ...(from.filterSubject === undefined ? {} : { filter_subject: from.filterSubject }),
  }
  return (
    await api.call(`CONSUMER.CREATE.${stream}`, { stream_name: stream, config }, ConsumerSchema)
  ).name
}

/** Says that a reader's consumer is not needed any more. It would go by itself, later. */
export function dropReader(api: JetStreamApi, stream: string, name: string): void {
  if (!api.link.nc.isClosed()) api.link.nc.publish(`$JS.API.CONSUMER.DELETE.${stream}.${name}`)
}

/** A backoff list would replace the ack wait, so there must be none. */
function matches(
  { config }: ConsumerState,
  wanted: {
    readonly ack_wait: number
    readonly max_deliver: number
    readonly max_ack_pending: number
  },
): boolean {
  return (
    config.ack_wait === wanted.ack_wait &&
    config.max_deliver === wanted.max_deliver &&
    config.max_ack_pending === wanted.max_ack_pending &&
    (config.backoff ?? []).length === 0
  )
}

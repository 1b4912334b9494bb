import { z } from 'zod'
import { type JournalRecord, type RecordKind } from './journal-format.js'

export const HeaderSchema = z.object({
  format: z.literal(1),
  identity: z.string(),
  runShards: z.number(),
})
export const GroupSchema = z.object({
  name: z.string(),
  noun: z.string(),
  starts: z.record(z.string(), z.number()),
})
export const AckSchema = z.object({ group: z.string(), stream: z.string(), sequence: z.number() })
export const AttemptSchema = AckSchema.extend({ attempt: z.number() })
export const OfferSchema = z.object({ queue: z.string(), id: z.string(), payload: z.unknown() })
export const DoneSchema = z.object({ queue: z.string(), id: z.string() })
export const TakenSchema = DoneSchema.extend({ attempt: z.number() })

export type Header = z.infer<typeof HeaderSchema>
export type GroupRecord = z.infer<typeof GroupSchema>

/** A record whose body is JSON. */
export function toRecord(kind: RecordKind, value: unknown): JournalRecord {
  return { kind, body: Buffer.from(JSON.stringify(value)) }
}

/** The body of such a record. */
export function fromRecord<T>(schema: z.ZodType<T>, body: Buffer): T {
  return schema.parse(JSON.parse(body.toString()))
}

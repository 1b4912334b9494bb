import { z } from 'zod'

/** The schema of one event version: wire name, version and payload. Unknown fields are dropped on reading. */
export function defineEvent<Type extends string, Version extends number, Payload extends z.ZodType>(
  type: Type,
  v: Version,
  data: Payload,
): z.ZodObject<{ type: z.ZodLiteral<Type>; v: z.ZodLiteral<Version>; data: Payload }> {
  return z.object({ type: z.literal(type), v: z.literal(v), data })
}

/** ISO-8601 with zone. */
export const TimeSchema = z.string()
/** SHA-256, lower-case hex. */
export const DigestSchema = z.string().regex(/^[0-9a-f]{64}$/)

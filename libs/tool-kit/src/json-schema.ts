import { z } from 'zod'

/** A JSON Schema, as a model is given it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** JSON Schema of what a caller sends: fields with a default are optional, bounds that only restate "integer" are left out. */
export function toJsonSchema(parameters: z.ZodType): JsonSchema {
  const schema: Record<string, unknown> = z.toJSONSchema(parameters, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  delete schema['$schema']
  return schema
}

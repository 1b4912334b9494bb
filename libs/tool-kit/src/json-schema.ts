import { z } from 'zod'

/** A JSON Schema, as a model is given it. */
export type JsonSchema = Readonly<Record<string, unknown>>

// Profiles share schemas and every model turn offers them again: each is translated once.
const translated = new WeakMap<z.ZodType, JsonSchema>()

/** JSON Schema of what a caller sends: fields with a default are optional, bounds that only restate "integer" are left out. */
export function toJsonSchema(parameters: z.ZodType): JsonSchema {
  const known = translated.get(parameters)
  if (known) return known
  const schema: Record<string, unknown> = z.toJSONSchema(parameters, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  delete schema['$schema']
  translated.set(parameters, schema)
  return schema
}

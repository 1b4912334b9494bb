import { z } from 'zod'

const NodeSchema = z.object({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
})
type Node = z.infer<typeof NodeSchema>

const empty: Node = {}

function toNode(schema: unknown): Node {
  return NodeSchema.safeParse(schema).data ?? empty
}

/** The part of a JSON Schema that a path leads to. */
export function nodeAt(schema: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((part, step) => {
    const node = toNode(part)
    return typeof step === 'number' ? node.items : node.properties?.[String(step)]
  }, schema)
}

/** The fields that the object at this place may have. */
export function fieldsOf(schema: unknown): readonly string[] {
  return Object.keys(toNode(schema).properties ?? {})
}

/** What to send, in words: `an integer from 1 to 10000`. */
export function wanted(schema: unknown): string {
  const node = toNode(schema)
  const choices = node.anyOf ?? node.oneOf
  if (choices) return choices.map(wanted).join(' or ')
  if (node.enum) return `one of ${node.enum.map((value) => JSON.stringify(value)).join(', ')}`
  if (node.const !== undefined) return JSON.stringify(node.const)
  return byType(node)
}

function byType(node: Node): string {
  switch (node.type) {
    case 'integer':
      return `an integer${range(node.minimum, node.maximum, '')}`
    case 'number':
      return `a number${range(node.minimum, node.maximum, '')}`
    case 'string':
      return `a text${range(node.minLength, node.maxLength, ' characters')}`
    case 'array':
      return `a list${range(node.minItems, node.maxItems, ' items')}`
    case 'boolean':
      return 'true or false'
    case 'object':
      return `an object with ${Object.keys(node.properties ?? {}).join(', ') || 'no fields'}`
    default:
      return 'a valid value'
  }
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const of = unit === '' ? '' : ' of'
  if (least !== undefined && most !== undefined) {
    return unit === '' ? ` from ${least} to ${most}` : `${of} ${least} to ${most}${unit}`
  }
  if (least !== undefined) return `${of} of at least ${least}${unit}`.replace('of of', 'of')
  if (most !== undefined) return `${of} of at most ${most}${unit}`.replace('of of', 'of')
  return ''
}

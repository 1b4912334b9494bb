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

const words: Readonly<Record<string, (node: Node) => string>> = {
  integer: (node) => `an integer${fromTo(node.minimum, node.maximum)}`,
  number: (node) => `a number${fromTo(node.minimum, node.maximum)}`,
  string: (node) => `a text${ofSize(node.minLength, node.maxLength, 'characters')}`,
  array: (node) => `a list${ofSize(node.minItems, node.maxItems, 'items')}`,
  boolean: () => 'true or false',
  object: (node) =>
    `an object with ${Object.keys(node.properties ?? {}).join(', ') || 'no fields'}`,
}

function byType(node: Node): string {
  return words[node.type ?? '']?.(node) ?? 'a valid value'
}

function fromTo(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`
  if (least !== undefined) return ` of at least ${least}`
  return most === undefined ? '' : ` of at most ${most}`
}

function ofSize(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${unit}`
  const bound = fromTo(least, most)
  return bound === '' ? '' : `${bound} ${unit}`
}

import { type z } from 'zod'
import { fieldsOf, nodeAt, wanted } from './wanted.js'

const mostIssues = 5
const longestName = 60

/** What is wrong with arguments, one line an issue: the field, what it is, and what to send instead. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], schema: unknown): string {
  const lines = issues.slice(0, mostIssues).map((issue) => describeIssue(issue, schema))
  const more = issues.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

function describeIssue(issue: z.core.$ZodIssue, schema: unknown): string {
  const node = nodeAt(schema, issue.path)
  const place = toPlace(issue.path)
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, issue.path, node)
  // Written by the author of the tool, remedy included.
  if (issue.code === 'custom') return `${place}: ${issue.message}`
  return `${place}: ${problemOf(issue)}; send ${wanted(node)}`
}

function unknownKeys(keys: readonly string[], path: readonly PropertyKey[], node: unknown): string {
  const known = fieldsOf(node)
  const names = keys
    .slice(0, mostIssues)
    .map((key) => toPlace([...path, key.slice(0, longestName)]))
  const send = known.length === 0 ? 'no arguments' : `only ${known.join(', ')}`
  return `${names.join(', ')}: unknown; send ${send}`
}

function problemOf(issue: z.core.$ZodIssue): string {
  const { input } = issue
  const measured = issue.code === 'too_big' || issue.code === 'too_small'
  if (measured && typeof input === 'string') return `has ${input.length} characters`
  if (measured && Array.isArray(input)) return `has ${input.length} items`
  return describeValue(input)
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'is missing'
  if (value === null) return 'is null'
  if (typeof value === 'string') return `is the text ${JSON.stringify(cut(value))}`
  if (typeof value === 'number' || typeof value === 'boolean') return `is ${String(value)}`
  return Array.isArray(value) ? 'is a list' : 'is an object'
}

function cut(text: string): string {
  return text.length > longestName ? `${text.slice(0, longestName)}…` : text
}

/** A place as a caller spells it: `plan[3].step`. */
export function toPlace(path: readonly PropertyKey[]): string {
  const place = path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`
    return before === '' ? String(step) : `${before}.${String(step)}`
  }, '')
  return place === '' ? 'arguments' : place
}

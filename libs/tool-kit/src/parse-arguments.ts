import { type z } from 'zod'
import { describeIssues, toPlace } from './argument-issues.js'
import { offsetOfExcessNesting } from './json-nesting.js'
import { findJsonProblem } from './json-problem.js'
import { toJsonSchema } from './json-schema.js'
import { dropNulls, findUnsafe } from './tidy-arguments.js'
import { type ToolFailure, type ToolResult, errorResult } from './tool-result.js'

/** Bounds of what a model may send as arguments. */
export const argumentLimits = { maxBytes: 8 * 1024 * 1024, maxDepth: 64 } as const

/** Arguments, or the result that tells the model what is wrong with them. */
export type ParsedArguments<Args> =
  | { readonly ok: true; readonly args: Args }
  | { readonly ok: false; readonly result: ToolResult<ToolFailure> }

/**
 * Reads the arguments exactly as the model sent them. Text that does not parse is refused with its
 * place and never repaired (X-02, BR-059). Blank text stands for no arguments.
 */
export function parseArguments<Schema extends z.ZodObject>(
  tool: { readonly name: string; readonly parameters: Schema },
  text: string,
): ParsedArguments<z.output<Schema>> {
  const problem = problemOfSize(text)
  if (problem !== undefined) return refuse(tool.name, problem)
  const read = readJson(text)
  if ('problem' in read) return refuse(tool.name, read.problem)
  const unsafe = findUnsafe(read.value)
  if (unsafe) return refuse(tool.name, `${toPlace(unsafe.path)}: ${unsafe.problem}`)
  const tidy = dropNulls(tool.parameters, read.value)
  const parsed = tool.parameters.safeParse(tidy, { reportInput: true })
  return parsed.success
    ? { ok: true, args: parsed.data }
    : refuse(tool.name, describeIssues(parsed.error.issues, toJsonSchema(tool.parameters)))
}

function refuse(
  name: string,
  problem: string,
): { readonly ok: false; readonly result: ToolResult<ToolFailure> } {
  const message = `${name} was not run. ${problem}`
  return {
    ok: false,
    result: errorResult({ code: 'INVALID_TOOL_ARGUMENTS', message, retryable: true }),
  }
}

function problemOfSize(text: string): string | undefined {
  const { maxBytes, maxDepth } = argumentLimits
  // A UTF-16 unit takes one to three bytes, so short texts need no counting.
  const sizeBytes = text.length * 3 <= maxBytes ? 0 : Buffer.byteLength(text)
  if (sizeBytes > maxBytes) {
    return `arguments: ${sizeBytes} bytes are over the limit of ${maxBytes} bytes (8 MiB); send less in one call`
  }
  const deep = offsetOfExcessNesting(text, maxDepth)
  return deep === undefined
    ? undefined
    : `arguments: nested deeper than the limit of ${maxDepth} levels at ${placeIn(text, deep)}; send a flatter value`
}

function readJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  if (text.trim() === '') return { value: {} }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const found = findJsonProblem(text)
    const at = found ? `${placeIn(text, found.offset)}: ${found.problem}` : String(error)
    return { problem: `arguments: not valid JSON at ${at}; send one JSON object` }
  }
}

function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  const near = text.slice(Math.max(0, offset - 20), offset + 20)
  return `line ${line}, column ${column}, near ${JSON.stringify(near)}`
}

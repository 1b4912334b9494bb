import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { type FindToolOutputResponse } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type ToolFailure, type ToolResult, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { type OutputPart, OutputPageSchema, readPart } from './output-part.js'
import { ObservationSchema, observe, readEffect } from './read-observation.js'

/** What `read_tool_output` tells programs; the text itself is in the answer only. */
export const ReadToolOutputDetailsSchema = z.strictObject({
  ref: z.string(),
  tool: z.string(),
  sizeBytes: z.int(),
  lines: z.int(),
  page: OutputPageSchema,
  readObservation: ObservationSchema,
})

const lineFields = ['offset', 'limit'] as const
const charFields = ['charOffset', 'charLimit'] as const
const searchFields = ['contextChars', 'maxMatches', 'caseSensitive', 'matchOffset'] as const

const parameters = z
  .strictObject({
    ref: z
      .string()
      .refine(
        (ref) => /^tool-output-[0-9a-f]{16}$/.test(ref),
        'is no reference; send one that an answer named',
      )
      .describe('Reference of a kept output, tool-output-…'),
    offset: z.int().min(1).optional().describe('Lines: first line, counted from 1'),
    limit: z.int().min(1).max(10_000).optional().describe('Lines: how many at most, 2000'),
    charOffset: z.int().min(0).optional().describe('Characters: how many to skip'),
    charLimit: z.int().min(1).max(100_000).optional().describe('Characters: how many at most'),
    query: z.string().min(1).max(4096).optional().describe('Search: text to find, literally'),
    contextChars: z.int().min(0).max(4000).optional().describe('Search: around each match, 500'),
    maxMatches: z.int().min(1).max(20).optional().describe('Search: how many at most, 5'),
    caseSensitive: z.boolean().optional().describe('Search: upper and lower case differ'),
    matchOffset: z.int().min(0).optional().describe('Search: matches to skip'),
  })
  .refine((args) => modesOf(args).length <= 1, {
    path: ['offset'],
    error:
      'goes with one way of reading only; send offset and limit, or charOffset and charLimit, or query',
  })
  .refine(
    (args) => args.query !== undefined || searchFields.every((name) => isMissing(args[name])),
    {
      path: ['query'],
      error: 'is missing; send the text to find',
    },
  )

/** S-19: a part of an output that was too long to be shown. */
export const readToolOutput = defineTool({
  name: 'read_tool_output',
  description:
    'Reads a kept output by its reference, in one of three ways: search with query (best), lines with offset and limit, or characters with charOffset and charLimit (for one very long line). At most about 40 KiB a call; the answer says how to go on.',
  parameters,
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  output: { selfBounded: true },
  details: ReadToolOutputDetailsSchema,
  handler: async (args, call: ToolCall) => read(args, call),
})

type Arguments = z.output<typeof parameters>
type Details = z.input<typeof ReadToolOutputDetailsSchema>

async function read(args: Arguments, call: ToolCall): Promise<ToolResult<Details | ToolFailure>> {
  const { ref } = args
  const kept = await find(ref, call)
  const part = partOf(args)
  const { text, bytes, page, pageKey } = await readPart(call.blobs, kept.digest, part)
  const readObservation = observe({ pageKey, bytes }, kept.reads, call.readAdvice)
  const notes = readObservation.advisory === undefined ? '' : `[${readObservation.advisory}]\n`
  const details = {
    ...{ ref, tool: kept.tool, page, readObservation },
    ...{ sizeBytes: Number(kept.sizeBytes), lines: Number(kept.lines) },
  }
  return okResult(`${notes}${text}`, details, [readEffect(call, { ref, pageKey, bytes })])
}

async function find(ref: string, call: ToolCall): Promise<FindToolOutputResponse> {
  const { sessionId, runId, minPosition } = call.place
  try {
    const request = { sessionId, runId, ref, minPosition }
    return await call.outputs.findToolOutput(request, { signal: call.signal })
  } catch (cause) {
    if (!isPlatformError(cause) || cause.code !== 'not_found') throw cause
    throw new PlatformError('not_found', `${ref} not found`, {
      cause,
      field: 'ref',
      remedy: 'send a reference that an answer of this session named',
    })
  }
}

function partOf(args: Arguments): OutputPart {
  const [mode] = modesOf(args)
  if (mode === 'search') return searchOf(args)
  const { offset = 1, limit = 2000, charOffset = 0, charLimit = 20_000 } = args
  return mode === 'chars' ? { mode, charOffset, charLimit } : { mode: 'lines', offset, limit }
}

function searchOf(args: Arguments): OutputPart {
  const { query = '', contextChars = 500, maxMatches = 5 } = args
  const { caseSensitive = false, matchOffset = 0 } = args
  return { mode: 'search', query, contextChars, maxMatches, caseSensitive, matchOffset }
}

type Mode = OutputPart['mode']

function modesOf(args: Partial<Record<string, unknown>>): readonly Mode[] {
  const names: readonly (readonly [Mode, readonly string[]])[] = [
    ['lines', lineFields],
    ['chars', charFields],
    ['search', ['query', ...searchFields]],
  ]
  return names
    .filter(([, fields]) => fields.some((name) => !isMissing(args[name])))
    .map(([mode]) => mode)
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null
}

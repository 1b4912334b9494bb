import { type ReadLogResponse } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { type ToolResult, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { ExecutionStateSchema, runningFor, toState } from './execution.js'
import { ExecutionIdSchema, askOwner } from './execution-place.js'

/** Chunks of one page. */
const usualChunks = 4
const mostLines = 200

/** What `execution_logs` tells programs (S-09). */
export const ExecutionLogsDetailsSchema = z.strictObject({
  chunks: z.array(
    z.strictObject({ cursor: z.int(), stream: z.enum(['stdout', 'stderr']), text: z.string() }),
  ),
  nextCursor: z.int(),
  /** More is there already. */
  truncated: z.boolean(),
  /** Output in between is not kept any more. */
  retentionTruncated: z.boolean(),
  state: ExecutionStateSchema,
  /** How long it has run by now, in steps of ten seconds. */
  runningSeconds: z.int().optional(),
  page: z.strictObject({
    hasMore: z.boolean(),
    next: z.strictObject({ cursor: z.int() }).optional(),
  }),
})
type Details = z.input<typeof ExecutionLogsDetailsSchema>

/** S-09: what an execution prints, page by page, while it runs and afterwards. */
export const executionLogs = defineTool({
  name: 'execution_logs',
  description:
    'Reads what an execution printed, unchanged and in the order in which it came, stdout and stderr together; also while it runs. One page is 4 chunks of up to 4096 characters; go on with the cursor that the page gives.',
  parameters: z.strictObject({
    execution_id: ExecutionIdSchema,
    cursor: z
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe('0, or nextCursor of the page before'),
    limit: z
      .int()
      .min(1)
      .max(mostLines)
      .optional()
      .describe('Give single lines, so many at most, in place of chunks'),
  }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  observation: true,
  deadlineMs: 60_000,
  details: ExecutionLogsDetailsSchema,
  handler: async ({ execution_id: executionId, cursor, limit }, call: ToolCall) => {
    const page = await askOwner(executionId, call, (place) =>
      call.executions.readLog(
        {
          ...place,
          cursor: BigInt(cursor),
          limit: limit ?? usualChunks,
          byLine: limit !== undefined,
        },
        { signal: call.signal },
      ),
    )
    return resultOf(toDetails(page), cursor)
  },
})

function toDetails(page: ReadLogResponse): Details {
  const nextCursor = Number(page.nextCursor)
  const { truncated, retentionTruncated } = page
  return {
    chunks: page.chunks.map(({ cursor, stream, text }) => ({
      cursor: Number(cursor),
      stream: stream === 'stderr' ? 'stderr' : 'stdout',
      text,
    })),
    ...{ nextCursor, truncated, retentionTruncated },
    state: toState(page.state),
    ...runningFor(page.runningMs),
    page: truncated ? { hasMore: true, next: { cursor: nextCursor } } : { hasMore: false },
  }
}

function resultOf(details: Details, asked: number): ToolResult<Details> {
  const { chunks, retentionTruncated } = details
  const parts = chunks.map(({ stream, text }) => `${stream}:\n${text.replace(/\n$/, '')}`)
  if (retentionTruncated) parts.unshift('[some output before this is not kept any more]')
  parts.push(`[${closing(details, asked)}]`)
  return okResult(parts.join('\n'), details)
}

function closing({ nextCursor, truncated, state, chunks }: Details, asked: number): string {
  if (truncated) return `more follows: cursor ${nextCursor}`
  const goesOn = state === 'running' || state === 'queued'
  const end = goesOn ? `no more yet, it is ${state}: go on later with` : `end of the log at`
  const beyond = chunks.length === 0 && asked > nextCursor ? `${asked} is beyond the end; ` : ''
  return `${beyond}${end} cursor ${nextCursor}`
}

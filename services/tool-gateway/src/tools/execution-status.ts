import { type ToolResult, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import {
  ExecutionSchema,
  type ExecutionRecord,
  executionText,
  headline,
  isGoingOn,
  toRecord,
  wholeOutput,
} from './execution.js'
import { ExecutionIdSchema, askOwner } from './execution-place.js'
import { workspaceOf } from './place.js'
import { sizeText } from './words.js'

/** What `execution_status` tells programs: one execution, or those of the workspace. */
export const ExecutionStatusDetailsSchema = z.union([
  z.strictObject({ execution: ExecutionSchema }),
  z.strictObject({ executions: z.array(ExecutionSchema), truncated: z.boolean() }),
])

const most = 50

/** S-08: how executions stand; starts nothing and takes no lock. */
export const executionStatus = defineTool({
  name: 'execution_status',
  description: `Tells how an execution stands, and what it printed. With wait_ms it waits that long for the end; waiting never ends the process. Without execution_id: your last ${most} executions, newest first.`,
  parameters: z
    .strictObject({
      execution_id: ExecutionIdSchema.optional(),
      wait_ms: z
        .int()
        .min(0)
        .max(30_000)
        .optional()
        .describe('How long to wait for the end; only with execution_id'),
    })
    .refine((args) => args.wait_ms === undefined || args.execution_id !== undefined, {
      path: ['wait_ms'],
      error: 'goes only with execution_id; send both or neither',
    }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  observation: true,
  deadlineMs: 120_000,
  output: { keep: 'tail' },
  details: ExecutionStatusDetailsSchema,
  handler: ({ execution_id: executionId, wait_ms: waitMs = 0 }, call: ToolCall) =>
    executionId === undefined ? list(call) : wait(executionId, waitMs, call),
})

async function wait(
  executionId: string,
  waitMs: number,
  call: ToolCall,
): Promise<ToolResult<{ execution: ExecutionRecord }>> {
  const answer = await askOwner(executionId, call, (place) =>
    call.executions.waitExecution({ ...place, waitMs }, { signal: call.signal, waitMs }),
  )
  const execution = toRecord(answer.execution)
  const result = okResult(executionText(execution), { execution }, answer.execution?.effects)
  return { ...result, whole: wholeOutput(execution, call) }
}

async function list(
  call: ToolCall,
): Promise<ToolResult<{ executions: ExecutionRecord[]; truncated: boolean }>> {
  const { projectId } = call.place
  const request = { projectId, ...workspaceOf(call), limit: most }
  const answer = await call.executions.listExecutions(request, { signal: call.signal })
  const executions = answer.executions.map(toRecord)
  const text =
    executions.length === 0
      ? 'Nothing was run yet. Start something with run_shell.'
      : executions.map(rowOf).join('\n')
  return okResult(text, { executions, truncated: executions.length >= most })
}

function rowOf(record: ExecutionRecord): string {
  const output = sizeText(record.stdoutBytes + record.stderrBytes)
  return isGoingOn(record)
    ? `${record.id} ${record.state}, ${output} of output`
    : `${record.id} ${headline(record)}, ${output} of output`
}

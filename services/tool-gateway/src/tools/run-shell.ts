import { type ToolResult, defineTool } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type GatewayTool } from '../catalogue.js'
import { type ToolCall } from '../tool-call.js'
import {
  ExecutionDetailsSchema,
  type ExecutionRecord,
  executionText,
  hasFailed,
  toRecord,
  wholeOutput,
} from './execution.js'
import { PathSchema } from './path.js'
import { executionIdOfCall, needsWorkspaceCode, workspaceOf } from './place.js'
import { startRequestOf } from './start-request.js'

/** Name of a runner pool, as it stands in workspace ids. */
export const RunnerIdSchema = z
  .string()
  .regex(/^[a-z0-9]{1,32}$/)
  .describe('Runner pool; your default one when left out')

const noNul = (text: string): boolean => !text.includes('\0')
const nulMessage = 'holds a NUL character; send the text without it'

const parameters = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .max(20_000)
      .refine(noNul, nulMessage)
      .optional()
      .describe('Shell text for bash; or give scriptPath'),
    scriptPath: PathSchema.max(1000)
      .optional()
      .describe('Script in the workspace that is run directly; or give command'),
    arguments: z
      .array(z.string().max(512).refine(noNul, nulMessage))
      .max(32)
      .optional()
      .describe('Arguments of the script, passed as they are; only with scriptPath'),
    cwd: PathSchema.max(1000).optional().describe('Working directory; the workspace when left out'),
    runner_id: RunnerIdSchema.optional(),
    environment_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Environment; the default of the session when left out'),
    wait_ms: z
      .int()
      .min(0)
      .max(30_000)
      .default(10_000)
      .describe('How long to wait for the end. The process goes on after that'),
    background: z.boolean().default(false).describe('Do not wait at all'),
  })
  .refine(({ command, scriptPath }) => (command === undefined) !== (scriptPath === undefined), {
    error: 'send exactly one of command and scriptPath',
  })
  .refine(({ scriptPath, arguments: args }) => args === undefined || scriptPath !== undefined, {
    path: ['arguments'],
    error: 'go only with scriptPath; put them into command, or send scriptPath',
  })
type Arguments = z.output<typeof parameters>

/** S-07: one sandboxed process tree; waiting for it never ends it. */
const tool = defineTool({
  name: 'run_shell',
  description:
    'Runs a command or a script in a sandbox with your workspace as working directory, without network. Each call is a new shell: no directory, variable or interpreter state is kept between calls. Waits up to wait_ms for the end; what takes longer goes on and is followed with execution_status. One call writes at a time; others queue.',
  parameters,
  effect: 'execute',
  permission: (args) => needsWorkspaceCode(summaryOf(args)),
  concurrency: 'exclusive',
  replay: 'keyed',
  deadlineMs: 120_000,
  output: { keep: 'tail' },
  details: ExecutionDetailsSchema,
  wire: { harness: 'hidden' },
  handler: async (args, call: ToolCall) => {
    const request = startRequestOf(call, {
      command: args.command ?? '',
      scriptPath: args.scriptPath,
      arguments: args.arguments,
      cwd: args.cwd,
      runnerId: args.runner_id,
      environmentId: args.environment_id,
      timeoutMs: 0,
      waitMs: args.background ? 0 : args.wait_ms,
    })
    const answer = await call.executions.startExecution(request, {
      signal: call.signal,
      waitMs: request.waitMs,
    })
    const execution = toRecord(answer.execution)
    const whole = wholeOutput(execution, call)
    return { ...executionResult(execution, answer.execution?.effects), whole }
  },
})

/** The result of a call that ran something: an error when it failed (S-07). */
export function executionResult(
  execution: ExecutionRecord,
  effects: ToolResult['effects'] = [],
): ToolResult<{ execution: ExecutionRecord }> {
  return {
    text: executionText(execution),
    isError: hasFailed(execution),
    details: { execution },
    effects,
  }
}

function summaryOf({ command, scriptPath, arguments: args = [] }: Arguments): string {
  const line = (command ?? [scriptPath, ...args].join(' ')).replace(/\s+/g, ' ').trim()
  return `run: ${line.length > 160 ? `${line.slice(0, 160)}…` : line}`
}

/**
 * Asks to end the execution that the call started or may still start. The pool is in the arguments,
 * which are not known here, so each one is asked; where it never came a mark refuses it later.
 */
export async function cancelExecutionOfCall(call: ToolCall): Promise<boolean> {
  const { projectId } = call.place
  const answers = await Promise.all(
    call.pools.map((pool) => {
      const { workspaceId, runnerId } = workspaceOf(call, pool)
      const executionId = executionIdOfCall(call, workspaceId)
      const request = { projectId, workspaceId, runnerId, executionId, reason: 'cancelled' }
      return call.executions.cancelExecution(request, { signal: call.signal })
    }),
  )
  return answers.some(({ execution }) => execution !== undefined)
}

export const runShell: GatewayTool = { tool, cancel: cancelExecutionOfCall }

import {
  ExecutionState,
  type Execution,
} from '@sciencediscovery/proto-gen/executions/v1/executions'
import { PlatformError } from '@sciencediscovery/kernel'
import { type ToolResult, defineTool } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type GatewayTool } from '../catalogue.js'
import { type ToolCall } from '../tool-call.js'
import {
  ExecutionDetailsSchema,
  type ExecutionRecord,
  executionText,
  toRecord,
  wholeOutput,
} from './execution.js'
import { PathSchema } from './path.js'
import { needsWorkspaceCode } from './place.js'
import { cancelExecutionOfCall, executionResult } from './run-shell.js'
import { startRequestOf } from './start-request.js'

const maxTimeoutSeconds = 600
/** One ask of the runner waits this long at most. */
const longestWaitMs = 30_000
/** Exit code that shells give a command whose time was over. */
const timedOutExitCode = 124

const parameters = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(20_000)
    .refine((text) => !text.includes('\0'), 'holds a NUL character; send the text without it')
    .describe('Shell text for bash'),
  working_directory: PathSchema.max(1000).optional().describe('Relative to the workspace'),
  timeout: z
    .int()
    .min(1)
    .max(maxTimeoutSeconds)
    .default(30)
    .describe('Seconds; a command that takes longer is ended with exit code 124'),
})

/** H-19, C-05: the harness's shell: the same execution, ended when its time is over. */
const tool = defineTool({
  name: 'execute',
  description:
    'Runs a command in a sandbox with your workspace as working directory, without network, and waits for its end. Past timeout seconds it is ended with exit code 124. Nothing but files is kept between calls.',
  parameters,
  effect: 'execute',
  permission: ({ command }) => needsWorkspaceCode(`run: ${command.slice(0, 160)}`),
  concurrency: 'exclusive',
  replay: 'keyed',
  // The outer deadline is longer than the longest inner wait (I-01).
  deadlineMs: maxTimeoutSeconds * 1000 + 120_000,
  output: { keep: 'tail' },
  details: ExecutionDetailsSchema,
  wire: { science: 'hidden', registry: 'hidden' },
  handler: async (args, call: ToolCall) => {
    const ended = await runToEnd(args, call)
    const execution = withExitCode(toRecord(ended))
    const result = executionResult(execution, ended.effects)
    return { ...result, text: textOf(execution, args.timeout), whole: wholeOutput(execution, call) }
  },
})

async function runToEnd(args: z.output<typeof parameters>, call: ToolCall): Promise<Execution> {
  const request = startRequestOf(call, {
    command: args.command,
    cwd: args.working_directory,
    timeoutMs: args.timeout * 1000,
    waitMs: longestWaitMs,
  })
  const { projectId, workspaceId, runnerId, executionId, waitMs } = request
  const asked = { signal: call.signal, waitMs }
  let { execution } = await call.executions.startExecution(request, asked)
  while (execution && isOpen(execution)) {
    const waiting = { projectId, workspaceId, runnerId, executionId, waitMs }
    ;({ execution } = await call.executions.waitExecution(waiting, asked))
  }
  if (!execution) throw new PlatformError('bug', 'the runner sent no execution')
  return execution
}

function isOpen({ state }: Execution): boolean {
  return (
    state === ExecutionState.EXECUTION_STATE_RUNNING ||
    state === ExecutionState.EXECUTION_STATE_QUEUED
  )
}

function withExitCode(execution: ExecutionRecord): ExecutionRecord {
  return execution.reason === 'timed_out' ? { ...execution, exitCode: timedOutExitCode } : execution
}

function textOf(execution: ExecutionRecord, timeoutSeconds: number): ToolResult['text'] {
  const text = executionText(execution)
  return execution.reason === 'timed_out'
    ? `timed out after ${timeoutSeconds} s: exit code ${timedOutExitCode}\n${text}`
    : text
}

export const execute: GatewayTool = { tool, cancel: cancelExecutionOfCall }

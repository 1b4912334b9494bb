import { PlatformError, exhaustive } from '@sciencediscovery/kernel'
import {
  type Execution,
  ExecutionState,
} from '@sciencediscovery/proto-gen/executions/v1/executions'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { count, some } from './words.js'

/** Where an execution is (C-17). */
export const ExecutionStateSchema = z.enum([
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'unknown',
])

/** An execution as programs read it. */
export const ExecutionSchema = z.strictObject({
  id: z.string(),
  state: ExecutionStateSchema,
  /** Null until it ended, and when that is not known. */
  exitCode: z.int().nullable(),
  stdoutBytes: z.int(),
  stderrBytes: z.int(),
  /** Head and tail, cleaned for reading. */
  stdout: z.string(),
  stderr: z.string(),
  outputTruncated: z.boolean(),
  createdFiles: z.array(z.string()),
  modifiedFiles: z.array(z.string()),
  deletedFiles: z.array(z.string()),
  runnerId: z.string(),
  workspaceId: z.string(),
  queuedAt: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  /** Why it did not complete. */
  reason: z.string().optional(),
  /** The reason in words: a limit with its value. */
  explanation: z.string().optional(),
  /** How long it has run by now, in steps of ten seconds. */
  runningSeconds: z.int().optional(),
  /** The middle of the output is not kept. */
  retentionTruncated: z.boolean(),
  /** What no snapshot can hold, by escaped path with the reason. */
  skippedFiles: z.array(z.string()).optional(),
})
export type ExecutionRecord = z.infer<typeof ExecutionSchema>

/** What `run_shell` and `execution_status` tell programs of one execution. */
export const ExecutionDetailsSchema = z.strictObject({ execution: ExecutionSchema })

/** The record that an owner answered with. */
export function toRecord(execution: Execution | undefined): ExecutionRecord {
  if (!execution) throw new PlatformError('bug', 'the runner sent no execution')
  return {
    id: execution.executionId,
    state: toState(execution.state),
    exitCode: execution.exitCode ?? null,
    stdoutBytes: Number(execution.stdoutBytes),
    stderrBytes: Number(execution.stderrBytes),
    stdout: execution.stdoutPreview,
    stderr: execution.stderrPreview,
    outputTruncated: execution.outputTruncated,
    createdFiles: execution.createdFiles,
    modifiedFiles: execution.modifiedFiles,
    deletedFiles: execution.deletedFiles,
    runnerId: execution.runnerId,
    workspaceId: execution.workspaceId,
    queuedAt: execution.queuedAt,
    startedAt: execution.startedAt,
    finishedAt: execution.finishedAt,
    ...(execution.reason !== '' && { reason: execution.reason }),
    ...(execution.explanation !== '' && { explanation: execution.explanation }),
    ...runningFor(execution.runningMs),
    retentionTruncated: execution.retentionTruncated,
    ...(execution.skippedTotal > 0 && { skippedFiles: execution.skippedFiles }),
  }
}

/**
 * Coarse on purpose: whoever looks at a silent execution every few seconds sees it change and is not
 * stopped as one who repeats himself, whoever does nothing but look is.
 */
export function runningFor(runningMs: bigint): { readonly runningSeconds?: number } {
  return runningMs === 0n ? {} : { runningSeconds: Math.floor(Number(runningMs) / 10_000) * 10 }
}

/** The word for where it is. */
export function toState(state: ExecutionState): ExecutionRecord['state'] {
  switch (state) {
    case ExecutionState.EXECUTION_STATE_QUEUED:
      return 'queued'
    case ExecutionState.EXECUTION_STATE_RUNNING:
      return 'running'
    case ExecutionState.EXECUTION_STATE_COMPLETED:
      return 'completed'
    case ExecutionState.EXECUTION_STATE_FAILED:
      return 'failed'
    case ExecutionState.EXECUTION_STATE_CANCELLED:
      return 'cancelled'
    case ExecutionState.EXECUTION_STATE_UNKNOWN:
      return 'unknown'
    case ExecutionState.EXECUTION_STATE_UNSPECIFIED:
      throw new PlatformError('bug', 'the runner sent an execution without a state')
    default:
      return exhaustive(state)
  }
}

/** Whether it goes on. */
export function isGoingOn({ state }: ExecutionRecord): boolean {
  return state === 'queued' || state === 'running'
}

/** Whether the model is told that it failed (S-07). */
export function hasFailed({ state }: ExecutionRecord): boolean {
  return state === 'failed' || state === 'cancelled' || state === 'unknown'
}

/** The execution for reading: how it stands, what it printed, which files changed, what to do next. */
export function executionText(record: ExecutionRecord): string {
  const parts = [headline(record)]
  if (record.stdout !== '') parts.push(`stdout:\n${record.stdout}`)
  if (record.stderr !== '') parts.push(`stderr:\n${record.stderr}`)
  if (record.stdout === '' && record.stderr === '' && !isGoingOn(record)) parts.push('no output')
  const files = filesText(record)
  if (files !== '') parts.push(files)
  if (record.outputTruncated) parts.push(truncatedText(record))
  return joined(parts)
}

/** Each part on lines of its own; what was printed stays as it is. */
function joined(parts: readonly string[]): string {
  return parts.reduce((text, part) => `${text}${text.endsWith('\n') ? '' : '\n'}${part}`)
}

/** How it stands, in one line. */
export function headline(record: ExecutionRecord): string {
  const { id, state, exitCode, reason } = record
  switch (state) {
    case 'completed':
      return 'exit code 0'
    case 'failed':
      return `failed: exit code ${exitCode ?? 'unknown'}${because(reason)}${explained(record)}`
    case 'cancelled':
      return `cancelled${because(reason)}${explained(record)}`
    case 'unknown':
      return `outcome unknown: contact with execution ${id} was lost. It may have run in part or in full: look at the files before you repeat it.`
    case 'queued':
      return `${id} waits for its turn. It is not lost: follow it with execution_status, execution_id "${id}", wait_ms up to 30000.`
    case 'running':
      return `${id} is still running. It goes on: follow it with execution_status, execution_id "${id}", wait_ms up to 30000.`
    default:
      return exhaustive(state)
  }
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === 'exit_code' || reason === 'cancelled'
    ? ''
    : ` (${reason})`
}

function explained({ explanation }: ExecutionRecord): string {
  return explanation === undefined ? '' : `: ${explanation}`
}

const mostPaths = 40

function filesText(record: ExecutionRecord): string {
  const groups = [
    ['created', record.createdFiles],
    ['modified', record.modifiedFiles],
    ['deleted', record.deletedFiles],
  ] as const
  const lines = groups
    .filter(([, paths]) => paths.length > 0)
    .map(([verb, paths]) => `${verb} ${count(paths.length, 'file')}: ${some(paths, mostPaths)}`)
  const { skippedFiles = [] } = record
  if (skippedFiles.length > 0) lines.push(`not kept: ${some(skippedFiles, mostPaths)}`)
  return lines.join('\n')
}

function truncatedText({ id, stdoutBytes, stderrBytes, ...record }: ExecutionRecord): string {
  const kept = record.retentionTruncated ? ', whose middle is not kept' : ''
  return `[only head and tail are shown of ${stdoutBytes} bytes of stdout and ${stderrBytes} bytes of stderr${kept}; execution_logs, execution_id "${id}", gives it page by page]`
}

/** The whole output of an execution that ended, when the record shows only a part of it. */
export function wholeOutput(
  record: ExecutionRecord,
  call: ToolCall,
): (() => AsyncIterable<Uint8Array>) | undefined {
  if (!record.outputTruncated || isGoingOn(record)) return undefined
  const { workspaceId, runnerId, id: executionId } = record
  const { projectId } = call.place
  const from = {
    projectId,
    workspaceId,
    runnerId,
    executionId,
    offset: 0n,
    length: 0n,
    follow: false,
  }
  return async function* () {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (record[`${stream}Bytes`] === 0) continue
      if (record.stdoutBytes > 0 && record.stderrBytes > 0) yield Buffer.from(`[${stream}]\n`)
      yield* call.executions.readOutput({ ...from, stream }, { signal: call.signal })
    }
  }
}

import { type BlobStore } from '@sciencediscovery/blob-store'
import {
  type Execution as ExecutionMessage,
  ExecutionState,
} from '@sciencediscovery/proto-gen/executions/v1/executions'
import { type Effect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import {
  type ExecutionCompleted,
  FileChangeSchema,
  type FileChange,
  type WorkspaceChanged,
} from '@sciencediscovery/run-events'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type EndedExecution, type Execution } from '../domain/workspace/state.js'
import { type OutputView } from '../output.js'

/** The execution as callers see it: from its stream, and while it runs from its output so far. */
export async function toExecution(
  ctx: Context,
  workspaceId: string,
  execution: Execution,
): Promise<ExecutionMessage> {
  const output = await outputOf(ctx, workspaceId, execution)
  const ended = execution.status === 'ended' ? await endOf(ctx.blobs, execution) : unended
  return {
    executionId: execution.executionId,
    runnerId: ctx.here.pool,
    workspaceId,
    state: stateOf(execution),
    queuedAt: execution.queuedAt,
    startedAt: execution.status === 'queued' ? '' : execution.startedAt,
    stdoutBytes: BigInt(output.stdoutBytes),
    stderrBytes: BigInt(output.stderrBytes),
    stdoutPreview: output.stdoutPreview,
    stderrPreview: output.stderrPreview,
    outputTruncated: output.truncated,
    retentionTruncated: output.retentionTruncated,
    runningMs: runningMs(ctx, execution),
    ...ended,
  }
}

const nothing: OutputView = {
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutPreview: '',
  stderrPreview: '',
  truncated: false,
  retentionTruncated: false,
}

async function outputOf(
  ctx: Context,
  workspaceId: string,
  execution: Execution,
): Promise<OutputView> {
  if (execution.status === 'ended') return ctx.machine.outputs.view(execution.output)
  const live = ctx.owned.find(workspaceId)?.live
  return live?.executionId === execution.executionId ? live.recorder.view() : nothing
}

/** How long it has run by now; nothing else may change for whoever looks at a silent one again and again. */
export function runningMs({ here }: Pick<Context, 'here'>, execution: Execution): bigint {
  if (execution.status !== 'running') return 0n
  return BigInt(Math.max(0, here.clock() - Date.parse(execution.startedAt)))
}

/** Where it is, in the words of the contract. */
export function stateOf(execution: Execution): ExecutionState {
  switch (execution.status) {
    case 'queued':
      return ExecutionState.EXECUTION_STATE_QUEUED
    case 'running':
      return ExecutionState.EXECUTION_STATE_RUNNING
    case 'ended':
      return endStates[execution.completed.state]
  }
}

const endStates = {
  completed: ExecutionState.EXECUTION_STATE_COMPLETED,
  failed: ExecutionState.EXECUTION_STATE_FAILED,
  cancelled: ExecutionState.EXECUTION_STATE_CANCELLED,
  unknown: ExecutionState.EXECUTION_STATE_UNKNOWN,
} as const

type End = Pick<
  ExecutionMessage,
  | 'finishedAt'
  | 'exitCode'
  | 'createdFiles'
  | 'modifiedFiles'
  | 'deletedFiles'
  | 'reason'
  | 'effects'
  | 'explanation'
  | 'skippedFiles'
  | 'skippedTotal'
>

const unended: End = {
  finishedAt: '',
  createdFiles: [],
  modifiedFiles: [],
  deletedFiles: [],
  reason: '',
  explanation: '',
  skippedFiles: [],
  skippedTotal: 0,
  effects: [],
}

async function endOf(blobs: BlobStore, { completed, changed }: EndedExecution): Promise<End> {
  const changes = changed ? await changesOf(blobs, changed) : []
  const paths = (kind: FileChange['change']): string[] =>
    changes.filter(({ change }) => change === kind).map(({ path }) => path)
  return {
    finishedAt: completed.finishedAt,
    ...(completed.exitCode === null ? {} : { exitCode: completed.exitCode }),
    createdFiles: paths('created'),
    modifiedFiles: paths('modified'),
    deletedFiles: paths('deleted'),
    reason: completed.reason,
    explanation: completed.explanation ?? '',
    skippedFiles: completed.skipped?.items ?? [],
    skippedTotal: completed.skipped?.total ?? 0,
    effects: [
      toEffect('execution.completed', completed),
      ...(changed ? [toEffect('workspace.changed', changed)] : []),
    ],
  }
}

/** A fact as it travels to the run. */
export function toEffect(
  type: 'execution.completed' | 'workspace.changed',
  data: ExecutionCompleted['data'] | WorkspaceChanged['data'],
): Effect {
  return { effectId: data.effectId, type, version: 1, dataJson: JSON.stringify(data) }
}

async function changesOf(
  blobs: BlobStore,
  { changes }: WorkspaceChanged['data'],
): Promise<FileChange[]> {
  if ('items' in changes) return changes.items
  const content = await blobs.get(changes.blob.digest)
  return z.array(FileChangeSchema).parse(JSON.parse(Buffer.from(content).toString('utf8')))
}

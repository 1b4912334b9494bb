import { type BlobStore } from '@sciencediscovery/blob-store'
import { commandIdOf } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Context } from '../context.js'
import { type FinishExecution } from '../domain/workspace/commands.js'
import {
  type ExecutionOrder,
  ExecutionOrderSchema,
  type StoredOutput,
} from '../domain/workspace/events.js'
import { lookUp } from '../domain/workspace/keyed.js'
import { type Execution, type Snapshot } from '../domain/workspace/state.js'
import { type OutputView } from '../output.js'
import { type ObservedSnapshot } from '../snapshots.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'

/** Everything that one execution needs of the world around it. */
export interface ExecutionSteps {
  readonly executionId: string
  readonly owned: OwnedWorkspace
  readonly ctx: Context
  /** The execution as the stream has it. */
  look(): Promise<Execution>
  /** What the last snapshot of the workspace holds. */
  committed(): Promise<Snapshot>
  order(execution: Execution): Promise<ExecutionOrder>
  requestCancel(reason: 'cancelled' | 'timed_out'): Promise<void>
  /** Records that a part of the output is stored. */
  recordOutput(output: StoredOutput, view: OutputView): Promise<void>
  /** Records the outcome; goes on trying while the claim lasts. */
  finish(outcome: Outcome): Promise<void>
}

/** What the process tree and the snapshot tell. */
export type Outcome = Pick<
  FinishExecution,
  | keyof ObservedSnapshot
  | 'exitCode'
  | 'reason'
  | 'explanation'
  | 'stdoutBytes'
  | 'stderrBytes'
  | 'output'
> & { readonly environmentId: string }

const finishDeadlineMs = 24 * 60 * 60 * 1000

/** The steps of one execution in an owned workspace. */
export function executionSteps(
  ctx: Context,
  owned: OwnedWorkspace,
  executionId: string,
): ExecutionSteps {
  const { workspaces, blobs, here } = ctx
  const { workspaceId, epoch } = owned
  const subject = workspaceSubject(workspaceId)
  const about = { causationId: executionId, correlationId: executionId, signal: owned.over }
  const asOwner = { ...about, owner: true }
  const now = (): string => new Date(here.clock()).toISOString()
  const place = { workspaceId, pool: here.pool, executionId }
  return {
    executionId,
    owned,
    ctx,
    look: async () => {
      const found = lookUp((await workspaces.load(subject)).state.executions, executionId)
      if (!found) throw new PlatformError('bug', `execution ${executionId} is not in its stream`)
      return found
    },
    committed: async () => (await workspaces.load(subject)).state.snapshot,
    order: (execution) => orderOf(blobs, execution),
    requestCancel: async (reason) => {
      const command = { type: 'CancelExecution', ...place, reason, at: now() } as const
      const commandId = commandIdOf('cancel', executionId, reason)
      await workspaces.handle(subject, command, { ...about, commandId })
    },
    recordOutput: async (output, { stdoutBytes, stderrBytes }) => {
      const told = { executionId, epoch, output, stdoutBytes, stderrBytes, at: now() }
      const commandId = commandIdOf('output', executionId, epoch, stdoutBytes + stderrBytes)
      const command = { type: 'RecordOutput', ...told } as const
      await workspaces.handle(subject, command, { ...asOwner, commandId })
    },
    finish: async ({ environmentId, ...outcome }) => {
      const environment = { id: environmentId, revision: '' }
      const commandId = commandIdOf('finish', executionId, epoch)
      await workspaces.handle(
        subject,
        { type: 'FinishExecution', ...place, epoch, ...outcome, environment, at: now() },
        { ...asOwner, commandId, deadlineMs: finishDeadlineMs },
      )
    },
  }
}

async function orderOf(blobs: BlobStore, { order }: Execution): Promise<ExecutionOrder> {
  if ('json' in order) return ExecutionOrderSchema.parse(order.json)
  const content = await blobs.get(order.blob.digest)
  return ExecutionOrderSchema.parse(JSON.parse(Buffer.from(content).toString('utf8')))
}

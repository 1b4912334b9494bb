import { type SnapshotOutcome } from '../domain/workspace/commands.js'
import { type ExecutionOrder } from '../domain/workspace/events.js'
import { type Snapshot } from '../domain/workspace/state.js'
import { type OutputRecorder } from '../output.js'
import { type LiveExecution } from '../owned-workspaces.js'
import { type SandboxExit, type SandboxProcess } from '../sandbox.js'
import { type Limits } from '../context.js'
import { sizeWords } from '../size-words.js'
import { argumentsOf } from './execution-arguments.js'
import { type ExecutionSteps } from './execution-steps.js'
import { watchWorkspaceSize } from './watch-workspace-size.js'

const workspaceLimit = 'workspace_limit'
/** A file takes up to so much more of the disk than it is long. */
const blockBytes = 4096

/**
 * An execution whose start is committed, until its outcome is: process tree gone, output stored,
 * snapshot stored, and only then the one commit that says so.
 */
export async function runExecution(steps: ExecutionSteps): Promise<void> {
  const { executionId, owned, ctx } = steps
  using _held = owned.hold()
  const execution = await steps.look()
  if (execution.status !== 'running') return
  const order = await steps.order(execution)
  const cell = await owned.cell().catch(() => undefined)
  if (!cell) {
    await finishWithout(steps, order)
    return
  }
  const argv = await argumentsOf(order, owned.directory.filesDirectory)
  const process = cell.start({ argv, cwd: order.cwd })
  const recorder: OutputRecorder = ctx.machine.outputs.record(
    {
      stdout: process.stdout,
      stderr: process.stderr,
      directory: owned.directory.spoolDirectory,
      name: 'output',
    },
    { ...execution.asker, onStored: (stored) => steps.recordOutput(stored, recorder.view()) },
  )
  await using _kept = recorder
  const killed = { reason: '' }
  const live: LiveExecution = {
    executionId,
    recorder,
    kill: (reason = '') => {
      killed.reason ||= reason
      process.kill()
    },
  }
  owned.setLive(live)
  try {
    const exit = await untilGone(steps, { order, live, process })
    if (owned.over.aborted) return
    const output = await recorder.store()
    const seen = await owned.snapshots.observe(order.declaredInputs)
    const { stdoutBytes, stderrBytes } = recorder.view()
    const { environmentId } = order
    const grew = seen.snapshot.sizeBytes > (await steps.committed()).sizeBytes
    const passed = grew && isOver(ctx.limits, seen.snapshot) ? workspaceLimit : ''
    const stopped = killed.reason || exit.reason || passed
    const { reason, explanation } = stopped === exit.reason ? exit : whyKilled(stopped, ctx.limits)
    const { exitCode } = exit
    const told = { exitCode, reason, explanation, stdoutBytes, stderrBytes, output, environmentId }
    await steps.finish({ ...told, ...seen })
    owned.directory.note(seen.snapshot.tree)
  } finally {
    owned.setLive(undefined)
  }
}

/** Also when it was too quick to be seen while it wrote. */
function isOver({ workspaceBytes }: Limits, { sizeBytes }: SnapshotOutcome): boolean {
  return workspaceBytes > 0 && sizeBytes > workspaceBytes
}

function whyKilled(
  reason: string,
  { workspaceBytes }: Limits,
): { readonly reason: string; readonly explanation: string } {
  if (reason !== workspaceLimit) return { reason, explanation: '' }
  const limit = `the workspace size limit of ${sizeWords(workspaceBytes)}`
  return { reason, explanation: `its files passed ${limit}; delete what is not needed` }
}

/** Without its wall nothing is run; the one outcome says so. */
async function finishWithout(steps: ExecutionSteps, order: ExecutionOrder): Promise<void> {
  const seen = await steps.owned.snapshots.observe([])
  await steps.finish({
    exitCode: null,
    reason: 'sandbox_unavailable',
    explanation: '',
    ...{ stdoutBytes: 0, stderrBytes: 0, ...seen },
    output: { inline: { stdout: '', stderr: '' } },
    environmentId: order.environmentId,
  })
}

interface Running {
  readonly order: ExecutionOrder
  readonly live: LiveExecution
  readonly process: SandboxProcess
}

async function untilGone(
  steps: ExecutionSteps,
  { order, live, process }: Running,
): Promise<SandboxExit> {
  const { owned, ctx } = steps
  const timer = order.timeoutMs > 0 ? endAfter(steps, live, order.timeoutMs) : undefined
  const allowedBytes = allowedSize(ctx.limits, await steps.committed())
  const watch = watchWorkspaceSize(owned.snapshots, allowedBytes, () => {
    live.kill(workspaceLimit)
  })
  try {
    // A cancel may have been recorded while nothing could be killed yet.
    const { status, cancel } = await steps.look()
    if (status === 'running' && cancel !== undefined) live.kill()
    return await process.exited
  } finally {
    clearTimeout(timer)
    watch[Symbol.dispose]()
  }
}

/** A workspace that is too large already may shrink, or stay as it is: else nothing could be deleted. */
function allowedSize({ workspaceBytes }: Limits, { files, sizeBytes }: Snapshot): number {
  if (workspaceBytes === 0 || sizeBytes <= workspaceBytes) return workspaceBytes
  return sizeBytes + files * blockBytes
}

/** The request is recorded before the kill, so that the outcome says why. */
function endAfter(steps: ExecutionSteps, live: LiveExecution, timeoutMs: number): NodeJS.Timeout {
  return setTimeout(() => {
    steps.requestCancel('timed_out').then(
      () => {
        live.kill()
      },
      () => {
        live.kill('timed_out')
      },
    )
  }, timeoutMs)
}

import { type ExecutionOrder } from '../domain/workspace/events.js'
import { type OutputRecorder } from '../output.js'
import { type LiveExecution } from '../owned-workspaces.js'
import { type SandboxExit, type SandboxProcess } from '../sandbox.js'
import { argumentsOf } from './execution-arguments.js'
import { type ExecutionSteps } from './execution-steps.js'
import { watchWorkspaceSize } from './watch-workspace-size.js'

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
    const { snapshot, inputs } = await owned.snapshots.observe(order.declaredInputs)
    const { stdoutBytes, stderrBytes } = recorder.view()
    const { environmentId } = order
    const reason = killed.reason || exit.reason
    const { exitCode } = exit
    await steps.finish({
      exitCode,
      reason,
      stdoutBytes,
      stderrBytes,
      output,
      inputs,
      snapshot,
      environmentId,
    })
    owned.directory.note(snapshot.tree)
  } finally {
    owned.setLive(undefined)
  }
}

/** Without its wall nothing is run; the one outcome says so. */
async function finishWithout(steps: ExecutionSteps, order: ExecutionOrder): Promise<void> {
  const { snapshot, inputs } = await steps.owned.snapshots.observe([])
  await steps.finish({
    exitCode: null,
    reason: 'sandbox_unavailable',
    ...{ stdoutBytes: 0, stderrBytes: 0, snapshot, inputs },
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
  const watch = watchWorkspaceSize(owned.snapshots, ctx.limits.workspaceBytes, () => {
    live.kill('workspace_limit')
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

import { z } from 'zod'
import type { CommandContext } from '../context.js'
import { withTarget, type Register } from './command.js'
import { statusName } from './print/run-record.js'

const OptionsSchema = z.object({ reason: z.string().default('asked for with scid stop') })

/** `scid stop RUN` */
export const registerStop: Register = (program, launch) => {
  withTarget(program.command('stop'))
    .description('ask a run to stop; it ends when its open work has ended')
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'why, for the people who read the run')
    .action(async (runId: string, options: unknown) => {
      const { reason } = OptionsSchema.parse(options)
      await launch(options, async (context) => {
        const status = await stopRun(context, { runId, reason, signal: context.interrupts.stop })
        await context.output.write(`${runId} ${status}\n`)
        return 0
      })
    })
}

interface StopRequest {
  readonly runId: string
  readonly reason: string
  readonly signal: AbortSignal
}

/** Asks the run to stop and says where it is now. */
export async function stopRun(
  { stack, createKey }: CommandContext,
  { runId, reason, signal }: StopRequest,
): Promise<string> {
  const { runs } = await stack.clients(signal)
  const idempotencyKey = createKey()
  const { status } = await runs.stopRun({ idempotencyKey, runId, reason }, { signal })
  return statusName(status)
}

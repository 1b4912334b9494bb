import { z } from 'zod'
import { withJson, withTarget, type Register } from './command.js'
import { followToEnd } from './follow/follow-to-end.js'
import { wholeNumber } from './usage-error.js'

const OptionsSchema = z.object({ from: z.string().optional(), json: z.boolean().default(false) })

/** `scid watch RUN [--from N] [--json]` */
export const registerWatch: Register = (program, launch) => {
  withJson(withTarget(program.command('watch')), 'one event per line as JSON')
    .description('follow a run until it ends; exits like `scid run`')
    .argument('<run>', 'id of the run')
    .option('--from <n>', 'only events after this position')
    .action(async (runId: string, options: unknown) => {
      const { from, json } = OptionsSchema.parse(options)
      const after = wholeNumber('--from', from, 0) ?? 0
      await launch(options, async (context) => {
        const signal = context.interrupts.stop
        // A stack that was never there is not one that was lost: this fails at once.
        await context.stack.clients(signal)
        return followToEnd(context, { runId, after, json, signal })
      })
    })
}

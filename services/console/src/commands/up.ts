import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withTarget, type Register } from './command.js'
import { usageError } from './usage-error.js'

const OptionsSchema = z.object({ server: z.string().optional() })

/** `scid up` */
export const registerUp: Register = (program, launch) => {
  withTarget(program.command('up'))
    .description('start the local stack and keep it until SIGTERM or Ctrl-C')
    .action(async (given: unknown) => {
      const { server } = OptionsSchema.parse(given)
      if (server !== undefined) {
        throw usageError(
          '--server',
          'names a stack that runs elsewhere',
          'leave it out to start one here',
        )
      }
      await launch(given, keepUp)
    })
}

async function keepUp({ stack, output, interrupts }: CommandContext): Promise<ExitCode> {
  const { stop } = interrupts
  const { address } = await stack.start(stop)
  await output.write(`listening on ${address}\n`)
  await aborted(stop)
  output.note('stopping')
  return 0
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve()
        },
        { once: true },
      )
  })
}

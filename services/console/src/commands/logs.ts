import { placeOfWorkspace, workspaceOfExecution } from '@sciencediscovery/run-events'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withTarget, type Register } from './command.js'
import { usageError } from './usage-error.js'

const streams = ['stdout', 'stderr'] as const
const OptionsSchema = z.object({
  stream: z.string().optional(),
  follow: z.boolean().default(false),
})

/** `scid logs EXECUTION [--stream stdout|stderr] [--follow]` */
export const registerLogs: Register = (program, launch) => {
  withTarget(program.command('logs'))
    .description(
      'write what an execution printed, unchanged: its stdout to standard output, its stderr to standard error',
    )
    .argument('<execution>', 'id of the execution')
    .option('--stream <stream>', 'only stdout or only stderr')
    .option('--follow', 'go on until it ends')
    .action(async (executionId: string, given: unknown) => {
      const { stream, follow } = OptionsSchema.parse(given)
      const wanted = streams.filter((name) => stream === undefined || stream === name)
      if (wanted.length === 0)
        throw usageError('--stream', `"${stream ?? ''}" is no stream`, 'give stdout or stderr')
      await launch(given, async (context) => {
        // One after the other where nothing more comes, so that a terminal shows whole lines.
        if (!follow) for (const name of wanted) await copy(context, { executionId, name, follow })
        else await Promise.all(wanted.map((name) => copy(context, { executionId, name, follow })))
        return 0 satisfies ExitCode
      })
    })
}

interface Wanted {
  readonly executionId: string
  readonly name: (typeof streams)[number]
  readonly follow: boolean
}

async function copy(
  { stack, output, interrupts }: CommandContext,
  { executionId, name, follow }: Wanted,
): Promise<void> {
  const workspaceId = workspaceOfExecution(executionId)
  const place = { ...placeOfWorkspace(workspaceId), workspaceId, executionId }
  const signal = interrupts.stop
  const { executions } = await stack.clients(signal)
  const request = { ...place, stream: name, offset: 0n, length: 0n, follow }
  for await (const { content } of executions.readOutput(request, { signal })) {
    await (name === 'stdout' ? output.write(content) : output.writeError(content))
  }
}

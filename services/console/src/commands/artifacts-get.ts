import type { Command } from 'commander'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withTarget, type Launch } from './command.js'
import { saveOrShow } from './print/save-or-show.js'
import { wholeNumber } from './usage-error.js'

const OptionsSchema = z.object({
  project: z.string().default('default'),
  version: z.string().optional(),
  output: z.string().optional(),
})

/** `scid artifacts get NAME [--version N] [-o FILE]` */
export function registerArtifactsGet(artifacts: Command, launch: Launch): void {
  withTarget(artifacts.command('get'))
    .description('write the content of an artifact to a file or to standard output')
    .argument('<name>', 'name of the artifact')
    .option('--project <project>', 'project (default: default)')
    .option('--version <n>', 'version (default: the newest)')
    .option('-o, --output <file>', "file or directory to write to ('-': standard output)")
    .action(async (name: string, _given: unknown, command: Command) => {
      // Options that `artifacts` takes too are found by it, wherever they stand.
      const given: unknown = command.optsWithGlobals()
      const { project, version, output } = OptionsSchema.parse(given)
      const number = wholeNumber('--version', version, 1) ?? 0
      await launch(given, (context) =>
        getArtifact(context, { project, name, version: number, output }),
      )
    })
}

interface Wanted {
  readonly project: string
  readonly name: string
  readonly version: number
  readonly output: string | undefined
}

async function getArtifact(context: CommandContext, wanted: Wanted): Promise<ExitCode> {
  const signal = context.interrupts.stop
  const { artifacts } = await context.stack.clients(signal)
  const { project: projectId, name, version } = wanted
  const request = { projectId, artifactId: '', name, version, minPosition: '' }
  const content = artifacts.downloadArtifact(request, { signal })
  return saveOrShow(context, content, { name, output: wanted.output })
}

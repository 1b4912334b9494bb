import type { Command } from 'commander'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withTarget, type Launch } from './command.js'
import { saveOrShow } from './print/save-or-show.js'
import { findWorkspace, WorkspaceOptionsSchema } from './workspace-place.js'

const OptionsSchema = WorkspaceOptionsSchema.extend({ output: z.string().optional() })

/** `scid files get PATH --session S [--runner R] [-o FILE]` */
export function registerFilesGet(files: Command, launch: Launch): void {
  withTarget(files.command('get'))
    .description('write the bytes of a file to a file of this machine, or to standard output')
    .argument('<path>', 'path in the workspace')
    .requiredOption('--session <session>', 'session whose workspace is meant')
    .option('--runner <pool>', "runner pool (default: the session's own)")
    .option('-o, --output <file>', "file or directory to write to ('-': standard output)")
    .action(async (path: string, given: unknown) => {
      const options = OptionsSchema.parse(given)
      await launch(given, (context) => getFile(context, path, options))
    })
}

async function getFile(
  context: CommandContext,
  path: string,
  options: z.output<typeof OptionsSchema>,
): Promise<ExitCode> {
  const signal = context.interrupts.stop
  const { actor, workspaceId, runnerId } = await findWorkspace(context, options)
  const { workspaces } = await context.stack.clients(signal)
  const content = workspaces.downloadFile({ actor, workspaceId, runnerId, path }, { signal })
  return saveOrShow(context, content, { name: path, output: options.output })
}

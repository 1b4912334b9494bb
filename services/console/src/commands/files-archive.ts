import type { Command } from 'commander'
import { z } from 'zod'
import { withTarget, type Launch } from './command.js'
import { saveOrShow } from './print/save-or-show.js'
import { findWorkspace, WorkspaceOptionsSchema } from './workspace-place.js'

const OptionsSchema = WorkspaceOptionsSchema.extend({ output: z.string() })

/** `scid files archive --session S [--runner R] -o FILE.tar` */
export function registerFilesArchive(files: Command, launch: Launch): void {
  withTarget(files.command('archive'))
    .description('write the last snapshot of the whole workspace as one tar archive')
    .requiredOption('--session <session>', 'session whose workspace is meant')
    .option('--runner <pool>', "runner pool (default: the session's own)")
    .requiredOption('-o, --output <file>', "file to write to ('-': standard output)")
    .action(async (given: unknown) => {
      const options = OptionsSchema.parse(given)
      await launch(given, async (context) => {
        const { actor, workspaceId, runnerId } = await findWorkspace(context, options)
        const signal = context.interrupts.stop
        const { workspaces } = await context.stack.clients(signal)
        const content = workspaces.downloadArchive({ actor, workspaceId, runnerId }, { signal })
        const name = `${options.session ?? 'workspace'}.tar`
        return saveOrShow(context, content, { name, output: options.output })
      })
    })
}

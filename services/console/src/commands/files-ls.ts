import type { Command } from 'commander'
import type { FileEntry } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Launch } from './command.js'
import { table } from './print/table.js'
import { findWorkspace, WorkspaceOptionsSchema } from './workspace-place.js'

const OptionsSchema = WorkspaceOptionsSchema.extend({ json: z.boolean().default(false) })
const pageEntries = 500

/** `scid files ls [DIRECTORY] --session S [--runner R] [--json]` */
export function registerFilesLs(files: Command, launch: Launch): void {
  withJson(withTarget(files.command('ls')), 'one JSON document')
    .description('list all files below a directory, as they are now')
    .argument('[directory]', 'directory (default: the whole workspace)')
    .requiredOption('--session <session>', 'session whose workspace is meant')
    .option('--runner <pool>', "runner pool (default: the session's own)")
    .action(async (directory: string | undefined, given: unknown) => {
      const options = OptionsSchema.parse(given)
      await launch(given, (context) => listFiles(context, directory ?? '', options))
    })
}

async function listFiles(
  context: CommandContext,
  path: string,
  options: z.output<typeof OptionsSchema>,
): Promise<ExitCode> {
  const { output, stack, interrupts } = context
  const signal = interrupts.stop
  const { actor, workspaceId, runnerId } = await findWorkspace(context, options)
  const { workspaces } = await stack.clients(signal)
  const found: FileEntry[] = []
  for (let [after, more] = ['', true]; more; after = found.at(-1)?.path ?? '') {
    const where = { actor, workspaceId, runnerId, path, recursive: true }
    const page = await workspaces.listFiles({ ...where, limit: pageEntries, after }, { signal })
    found.push(...page.files)
    more = page.truncated && page.files.length > 0
  }
  await output.write(
    options.json ? `${JSON.stringify({ files: found.map(recordOf) })}\n` : tableOf(found),
  )
  return 0
}

function recordOf({ path, sizeBytes, modifiedAt }: FileEntry): Readonly<Record<string, unknown>> {
  return { path, sizeBytes: Number(sizeBytes), modifiedAt }
}

function tableOf(files: readonly FileEntry[]): string {
  const rows = files.map(({ path, sizeBytes, modifiedAt }) => [
    path,
    `${sizeBytes}`,
    modifiedAt.slice(0, 19),
  ])
  return table(['PATH', 'BYTES', 'MODIFIED'], rows)
}

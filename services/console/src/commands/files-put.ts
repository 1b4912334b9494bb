import type { Command } from 'commander'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withTarget, type Launch } from './command.js'
import { conflictOf } from './conflict-option.js'
import { printable } from './print/printable.js'
import { uploadFile } from './start/upload.js'
import { usageError } from './usage-error.js'
import { findWorkspace } from './workspace-place.js'

const OptionsSchema = z.object({ session: z.string(), conflict: z.string().default('reject') })

/** `scid files put FILE DEST --session S [--conflict reject|overwrite|rename]` */
export function registerFilesPut(files: Command, launch: Launch): void {
  withTarget(files.command('put'))
    .description(
      "put a file of this machine into a session's workspace; it is recorded as an upload",
    )
    .argument('<file>', 'file of this machine')
    .argument('<dest>', 'path in the workspace')
    .requiredOption('--session <session>', 'session whose workspace is meant')
    .option('--conflict <choice>', 'reject, overwrite or rename (default: reject)')
    .action(async (file: string, destination: string, given: unknown) => {
      const { session, conflict } = OptionsSchema.parse(given)
      const upload = { path: file, destination, conflict: conflictOf(conflict) }
      await launch(given, (context) => putFile(context, session, upload))
    })
}

async function putFile(
  context: CommandContext,
  session: string,
  upload: Parameters<typeof uploadFile>[2],
): Promise<ExitCode> {
  if ((await context.files.sizeOf(upload.path, 'FILE')) === undefined)
    throw usageError('FILE', `${upload.path} does not exist`, 'give a file of this machine')
  const { actor, sessionId } = await findWorkspace(context, { session })
  const { file } = await uploadFile(context, { projectId: actor.projectId, sessionId }, upload)
  await context.output.write(`${printable(file?.path ?? upload.destination)}\n`)
  return 0
}

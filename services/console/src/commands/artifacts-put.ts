import { basename } from 'node:path/posix'
import type { Command } from 'commander'
import type { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Launch } from './command.js'
import { conflictOf } from './conflict-option.js'
import { artifactRecord } from './print/artifact-record.js'
import { printable } from './print/printable.js'
import { openSession } from './start/session-choice.js'
import { uploadFile } from './start/upload.js'
import { usageError } from './usage-error.js'

const OptionsSchema = z.object({
  project: z.string().optional(),
  session: z.string().optional(),
  name: z.string().optional(),
  conflict: z.string().default('reject'),
  json: z.boolean().default(false),
})
type Options = z.output<typeof OptionsSchema>

/** `scid artifacts put FILE [--name N] [--session S] [--conflict reject|overwrite|rename]` */
export function registerArtifactsPut(artifacts: Command, launch: Launch): void {
  withJson(withTarget(artifacts.command('put')), 'one JSON document')
    .description("put a file into a session's workspace and declare it as an artifact")
    .argument('<file>', 'file of this machine')
    .option('--name <name>', 'path in the workspace and name of the artifact (default: its own)')
    .option('--session <session>', 'session whose workspace gets it (default: a new one)')
    .option('--project <project>', 'project of a new session (default: default)')
    .option('--conflict <choice>', 'reject, overwrite or rename (default: reject)')
    .action(async (file: string, _given: unknown, command: Command) => {
      // Options that `artifacts` takes too are found by it, wherever they stand.
      const given: unknown = command.optsWithGlobals()
      const options = OptionsSchema.parse(given)
      const conflict = conflictOf(options.conflict)
      await launch(given, (context) => putArtifact(context, { file, options, conflict }))
    })
}

interface Wanted {
  readonly file: string
  readonly options: Options
  readonly conflict: Conflict
}

async function putArtifact(
  context: CommandContext,
  { file, options, conflict }: Wanted,
): Promise<ExitCode> {
  const { output, files } = context
  if ((await files.sizeOf(file, 'FILE')) === undefined) {
    throw usageError('FILE', `${file} does not exist`, 'give a file of this machine')
  }
  const { sessionId, projectId } = await openSession(context, {
    ...{ sessionId: options.session, projectId: options.project },
    ...{ profile: undefined, approve: undefined, model: '', task: `upload of ${basename(file)}` },
  })
  const place = { sessionId, projectId }
  const destination = options.name ?? basename(file)
  const { artifact } = await uploadFile(context, place, { path: file, destination, conflict })
  if (!artifact) return 1
  if (options.json) {
    const path = artifact.version?.sourcePath ?? ''
    await output.write(`${JSON.stringify({ ...artifactRecord(artifact), path })}\n`)
  }
  output.note(`${printable(artifact.name)} version ${artifact.version?.version ?? 0}`)
  return 0
}

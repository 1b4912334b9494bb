import { z } from 'zod'
import { isProjectId, projectOfSession } from '@sciencediscovery/run-events'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Register } from './command.js'
import { parseProvenance } from './print/provenance-record.js'
import { provenanceText } from './print/provenance-text.js'
import { usageError, wholeNumber } from './usage-error.js'

const OptionsSchema = z.object({
  project: z.string().optional(),
  session: z.string().optional(),
  version: z.string().optional(),
  json: z.boolean().default(false),
})

/** `scid provenance PATH_OR_ARTIFACT [--session S] [--version N] [--json]` */
export const registerProvenance: Register = (program, launch) => {
  withJson(withTarget(program.command('provenance')), 'the record as JSON')
    .description('show how a file or an artifact was made')
    .argument('<path-or-artifact>', 'workspace-relative path, or name of an artifact')
    .option('--project <project>', 'project (default: of the session, else default)')
    .option('--session <session>', 'session whose file is meant (default: the newest that has it)')
    .option('--version <n>', 'version of an artifact (default: the newest)')
    .action(async (name: string, given: unknown) => {
      const { project, session, version, json } = OptionsSchema.parse(given)
      const wanted = {
        projectId: projectOf(project, session),
        sessionId: session ?? '',
        pathOrArtifact: name,
        version: wholeNumber('--version', version, 1) ?? 0,
      }
      await launch(given, (context) => showProvenance(context, wanted, json))
    })
}

interface Wanted {
  readonly projectId: string
  readonly sessionId: string
  readonly pathOrArtifact: string
  readonly version: number
}

async function showProvenance(
  { stack, output, interrupts }: CommandContext,
  wanted: Wanted,
  json: boolean,
): Promise<ExitCode> {
  const signal = interrupts.stop
  const { provenance } = await stack.clients(signal)
  const request = { ...wanted, agentId: '', minPosition: '' }
  const { detailsJson } = await provenance.getFileProvenance(request, { signal })
  const text = json
    ? `${detailsJson}\n`
    : provenanceText(wanted.pathOrArtifact, parseProvenance(detailsJson), output.colors)
  await output.write(text)
  return 0
}

function projectOf(project: string | undefined, session: string | undefined): string {
  if (project === undefined) return session === undefined ? 'default' : projectOfSession(session)
  if (isProjectId(project)) return project
  throw usageError(
    '--project',
    `${JSON.stringify(project)} is no project id`,
    "use letters, digits, '_' and '-', at most 64",
  )
}

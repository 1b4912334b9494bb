import { Option } from 'commander'
import { isProjectId, projectOfSession } from '@sciencediscovery/run-events'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Register } from './command.js'
import {
  type DownstreamRecord,
  downstreamText,
  joinDownstream,
  parseDownstream,
} from './print/provenance-downstream.js'
import { exportFormats, exportProvenance } from './print/provenance-export.js'
import { parseProvenance } from './print/provenance-record.js'
import { provenanceText } from './print/provenance-text.js'
import { usageError, wholeNumber } from './usage-error.js'

const OptionsSchema = z.object({
  project: z.string().optional(),
  session: z.string().optional(),
  version: z.string().optional(),
  sha256: z.string().optional(),
  downstream: z.boolean().default(false),
  format: z.enum(exportFormats).optional(),
  output: z.string().optional(),
  json: z.boolean().default(false),
})
type Options = z.output<typeof OptionsSchema>

/** `scid provenance PATH_OR_ARTIFACT [--session S] [--version N|--sha256 H] [--downstream] [--json] [--format F -o PLACE]` */
export const registerProvenance: Register = (program, launch) => {
  withJson(withTarget(program.command('provenance')), 'the record as JSON')
    .description('show how a file or an artifact was made, or what came of it')
    .argument('<path-or-artifact>', 'workspace-relative path, or name of an artifact')
    .option('--project <project>', 'project (default: of the session, else default)')
    .option('--session <session>', 'session whose file is meant (default: the newest that has it)')
    .option('--version <n>', 'version of an artifact (default: the newest)')
    .option('--sha256 <digest>', 'a content that the file once had (default: the newest)')
    .option('--downstream', 'what used it: executions, files, artifact versions')
    .addOption(
      new Option('--format <format>', 'write it as a W3C PROV-JSON or as an RO-Crate').choices(
        exportFormats,
      ),
    )
    .option('-o, --output <place>', 'file of the PROV-JSON, directory of the RO-Crate')
    .action(async (name: string, given: unknown) => {
      const options = OptionsSchema.parse(given)
      checkTogether(options)
      const wanted = wantedOf(name, options)
      await launch(given, (context) =>
        options.downstream
          ? showDownstream(context, wanted, options.json)
          : showProvenance(context, wanted, options),
      )
    })
}

interface Wanted {
  readonly projectId: string
  readonly sessionId: string
  readonly pathOrArtifact: string
  readonly version: number
  readonly sha256: string | undefined
}

function wantedOf(pathOrArtifact: string, options: Options): Wanted {
  const { project, session, version, sha256 } = options
  return {
    projectId: projectOf(project, session),
    sessionId: session ?? '',
    pathOrArtifact,
    version: wholeNumber('--version', version, 1) ?? 0,
    sha256: digestOf(sha256),
  }
}

function checkTogether({ downstream, format, output, json, version, sha256 }: Options): void {
  const [wrong] = [
    ...(format !== undefined && (downstream || json)
      ? [['--format', 'give it without --downstream and --json'] as const]
      : []),
    ...(format === undefined && output !== undefined
      ? [['--output', 'give --format too, or redirect standard output'] as const]
      : []),
    ...(version !== undefined && sha256 !== undefined
      ? [['--sha256', 'give one of --version and --sha256'] as const]
      : []),
  ]
  if (wrong) throw usageError(wrong[0], 'does not go with the other options', wrong[1])
}

/** An export tells the whole chain, as far as the service goes; people are shown the nearest part. */
const exportHops = 64
const agentId = ''
const minPosition = ''

async function showProvenance(
  context: CommandContext,
  wanted: Wanted,
  { json, format, output }: Options,
): Promise<ExitCode> {
  const signal = context.interrupts.stop
  const { provenance } = await context.stack.clients(signal)
  const maxHops = format === undefined ? undefined : exportHops
  const request = { ...wanted, agentId, minPosition, maxHops }
  const { detailsJson } = await provenance.getFileProvenance(request, { signal })
  const { pathOrArtifact: name, projectId } = wanted
  if (format !== undefined)
    return exportProvenance(context, { name, projectId, detailsJson, format, output })
  const text = json
    ? `${detailsJson}\n`
    : provenanceText(name, parseProvenance(detailsJson), context.output.colors)
  await context.output.write(text)
  return 0
}

async function showDownstream(
  { stack, output, interrupts }: CommandContext,
  wanted: Wanted,
  json: boolean,
): Promise<ExitCode> {
  const signal = interrupts.stop
  const { provenance } = await stack.clients(signal)
  const pages: DownstreamRecord[] = []
  let pageToken = ''
  do {
    const page = { agentId, minPosition, pageSize: 0, pageToken }
    const request = { ...wanted, sha256: wanted.sha256 ?? '', ...page }
    const { detailsJson, nextPageToken } = await provenance.getDownstream(request, { signal })
    pages.push(parseDownstream(detailsJson))
    pageToken = nextPageToken
  } while (pageToken !== '')
  const record = joinDownstream(pages)
  if (!record) return 0
  await output.write(json ? `${JSON.stringify(record)}\n` : downstreamText(record, output.colors))
  return 0
}

function digestOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{64}$/.test(text)) return text
  throw usageError('--sha256', 'is not a SHA-256', 'give 64 hexadecimal digits in lower case')
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

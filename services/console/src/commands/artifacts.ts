import type { Artifact } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { registerArtifactsGet } from './artifacts-get.js'
import { registerArtifactsPut } from './artifacts-put.js'
import { withJson, withTarget, type Register } from './command.js'
import { artifactRecord } from './print/artifact-record.js'
import { collectPages } from './print/pages.js'
import { table } from './print/table.js'

const OptionsSchema = z.object({
  project: z.string().default('default'),
  json: z.boolean().default(false),
})

/** `scid artifacts [--project P] [--json]`, and `scid artifacts get` and `put` below it. */
export const registerArtifacts: Register = (program, launch) => {
  const command = withJson(withTarget(program.command('artifacts')), 'one JSON document')
    .description('list the artifacts of a project, get one, or put one')
    .option('--project <project>', 'project (default: default)')
    .action(async (given: unknown) => {
      const { project, json } = OptionsSchema.parse(given)
      await launch(given, (context) => listArtifacts(context, project, json))
    })
  registerArtifactsGet(command, launch)
  registerArtifactsPut(command, launch)
}

async function listArtifacts(
  { stack, output, interrupts }: CommandContext,
  projectId: string,
  json: boolean,
): Promise<ExitCode> {
  const signal = interrupts.stop
  const { artifacts } = await stack.clients(signal)
  const rows = await collectPages(undefined, async (pageSize, pageToken) => {
    const request = { projectId, pageSize, pageToken, minPosition: '' }
    const page = await artifacts.listArtifacts(request, { signal })
    return { rows: page.artifacts, nextPageToken: page.nextPageToken }
  })
  const text = json
    ? `${JSON.stringify({ artifacts: rows.map(artifactRecord) })}\n`
    : artifactTable(rows)
  await output.write(text)
  return 0
}

function artifactTable(artifacts: readonly Artifact[]): string {
  return table(
    ['NAME', 'VERSION', 'KIND', 'ORIGIN', 'BYTES', 'DECLARED'],
    artifacts.map(({ name, kind, origin, version }) => [
      name,
      `${version?.version ?? 0}`,
      kind,
      version?.origin ?? origin,
      `${version?.sizeBytes ?? 0n}`,
      version?.declaredAt.slice(0, 19) ?? '',
    ]),
  )
}

import type { Run } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Register } from './command.js'
import { collectPages } from './print/pages.js'
import { shortened } from './print/printable.js'
import { runRecord, statusName } from './print/run-record.js'
import { table } from './print/table.js'
import { wholeNumber } from './usage-error.js'

const OptionsSchema = z.object({
  project: z.string().default(''),
  session: z.string().default(''),
  limit: z.string().optional(),
  json: z.boolean().default(false),
})

/** `scid runs [--project P] [--session S] [--limit N] [--json]` */
export const registerRuns: Register = (program, launch) => {
  withJson(withTarget(program.command('runs')), 'one JSON document')
    .description('list runs, newest first')
    .option('--project <project>', 'only of this project')
    .option('--session <session>', 'only of this session')
    .option('--limit <n>', 'at most so many')
    .action(async (given: unknown) => {
      const options = OptionsSchema.parse(given)
      const limit = wholeNumber('--limit', options.limit, 1)
      await launch(given, (context) => listRuns(context, { ...options, limit }))
    })
}

interface Listing {
  readonly project: string
  readonly session: string
  readonly limit: number | undefined
  readonly json: boolean
}

async function listRuns(
  { stack, output, interrupts }: CommandContext,
  { project, session, limit, json }: Listing,
): Promise<ExitCode> {
  const signal = interrupts.stop
  const { runs } = await stack.clients(signal)
  const rows = await collectPages(limit, async (pageSize, pageToken) => {
    const request = { projectId: project, sessionId: session, pageSize, pageToken, minPosition: '' }
    const page = await runs.listRuns(request, { signal })
    return { rows: page.runs, nextPageToken: page.nextPageToken }
  })
  await output.write(json ? `${JSON.stringify({ runs: rows.map(runRecord) })}\n` : runTable(rows))
  return 0
}

function runTable(runs: readonly Run[]): string {
  return table(
    ['RUN', 'STATUS', 'STARTED', 'MODEL', 'TASK'],
    runs.map((run) => [
      run.runId,
      statusName(run.status),
      run.startedAt.slice(0, 19),
      shortened(run.model, 30),
      shortened(run.goal, 60),
    ]),
  )
}

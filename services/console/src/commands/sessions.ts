import {
  ApprovalMode,
  InputPolicy,
  type Session,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Register } from './command.js'
import { collectPages } from './print/pages.js'
import { shortened } from './print/printable.js'
import { table } from './print/table.js'
import { wholeNumber } from './usage-error.js'

const OptionsSchema = z.object({
  project: z.string().default(''),
  limit: z.string().optional(),
  json: z.boolean().default(false),
})

/** `scid sessions [--project P] [--limit N] [--json]` */
export const registerSessions: Register = (program, launch) => {
  withJson(withTarget(program.command('sessions')), 'one JSON document')
    .description('list sessions, newest first')
    .option('--project <project>', 'only of this project')
    .option('--limit <n>', 'at most so many')
    .action(async (given: unknown) => {
      const { project, limit, json } = OptionsSchema.parse(given)
      const most = wholeNumber('--limit', limit, 1)
      await launch(given, (context) => listSessions(context, { project, limit: most, json }))
    })
}

interface Listing {
  readonly project: string
  readonly limit: number | undefined
  readonly json: boolean
}

async function listSessions(
  { stack, output, interrupts }: CommandContext,
  { project, limit, json }: Listing,
): Promise<ExitCode> {
  const signal = interrupts.stop
  const { sessions } = await stack.clients(signal)
  const rows = await collectPages(limit, async (pageSize, pageToken) => {
    const request = { projectId: project, pageSize, pageToken, minPosition: '' }
    const page = await sessions.listSessions(request, { signal })
    return { rows: page.sessions, nextPageToken: page.nextPageToken }
  })
  const text = json
    ? `${JSON.stringify({ sessions: rows.map(sessionRecord) })}\n`
    : sessionTable(rows)
  await output.write(text)
  return 0
}

const modeNames: ReadonlyMap<number, string> = new Map([
  [ApprovalMode.APPROVAL_MODE_ASK, 'ask'],
  [ApprovalMode.APPROVAL_MODE_ALWAYS_ALLOW, 'always'],
])
const policyNames: ReadonlyMap<number, string> = new Map([
  [InputPolicy.INPUT_POLICY_ENQUEUE, 'enqueue'],
  [InputPolicy.INPUT_POLICY_INTERRUPT, 'interrupt'],
  [InputPolicy.INPUT_POLICY_REJECT, 'reject'],
])

function sessionRecord({ settings, ...session }: Session): Readonly<Record<string, unknown>> {
  return {
    ...session,
    settings: settings && {
      ...settings,
      approvalMode: modeNames.get(settings.approvalMode) ?? 'ask',
      inputPolicy: policyNames.get(settings.inputPolicy) ?? 'enqueue',
    },
  }
}

function sessionTable(sessions: readonly Session[]): string {
  return table(
    ['SESSION', 'STATE', 'CREATED', 'APPROVE', 'TITLE'],
    sessions.map(({ settings, ...session }) => [
      session.sessionId,
      stateOf(session),
      session.createdAt.slice(0, 19),
      modeNames.get(settings?.approvalMode ?? 0) ?? 'ask',
      shortened(settings?.title ?? '', 60),
    ]),
  )
}

function stateOf({ archivedAt, activeRunId }: Pick<Session, 'archivedAt' | 'activeRunId'>): string {
  if (archivedAt !== '') return 'archived'
  return activeRunId === '' ? 'idle' : 'busy'
}

import { PermissionDecision } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { z } from 'zod'
import type { CommandContext, Decision, ExitCode } from '../context.js'
import { withTarget, type Register } from './command.js'
import { printable } from './print/printable.js'
import { usageError } from './usage-error.js'

const OptionsSchema = z.object({
  once: z.boolean().default(false),
  matching: z.boolean().default(false),
  deny: z.boolean().default(false),
})

/** `scid approve RUN REQUEST --once|--matching|--deny` */
export const registerApprove: Register = (program, launch) => {
  withTarget(program.command('approve'))
    .description('decide a permission request of a run')
    .argument('<run>', 'id of the run')
    .argument('<request>', 'id of the request, as `scid run` and `scid watch` name it')
    .option('--once', 'allow this call only')
    .option('--matching', 'allow this and every like call of the session')
    .option('--deny', 'do not allow it')
    .action(async (runId: string, requestId: string, options: unknown) => {
      const decision = decisionOf(options)
      await launch(options, (context) => approve(context, { runId, requestId, decision }))
    })
}

interface Decided {
  readonly runId: string
  readonly requestId: string
  readonly decision: Decision
}

async function approve(context: CommandContext, decided: Decided): Promise<ExitCode> {
  const { output, interrupts } = context
  const state = await decide(context, { ...decided, signal: interrupts.stop })
  await output.write(`${printable(state)}\n`)
  return 0
}

/** Sends the decision and says what became of the request. */
export async function decide(
  context: CommandContext,
  { runId, requestId, decision, signal }: Decided & { readonly signal: AbortSignal },
): Promise<string> {
  const { runs } = await context.stack.clients(signal)
  const idempotencyKey = context.createKey()
  const { request } = await runs.decidePermission(
    { idempotencyKey, runId, requestId, decision: wireDecision[decision] },
    { signal },
  )
  return request ? `${request.state}: ${request.summary}` : 'decided'
}

const wireDecision = {
  once: PermissionDecision.PERMISSION_DECISION_ALLOW_ONCE,
  matching: PermissionDecision.PERMISSION_DECISION_ALLOW_MATCHING,
  deny: PermissionDecision.PERMISSION_DECISION_DENY,
} as const satisfies Record<Decision, PermissionDecision>

function decisionOf(options: unknown): Decision {
  const given = OptionsSchema.parse(options)
  const [decision, ...more] = (['once', 'matching', 'deny'] as const).filter((name) => given[name])
  if (decision !== undefined && more.length === 0) return decision
  const problem =
    decision === undefined ? 'no decision is given' : 'more than one decision is given'
  throw usageError('decision', problem, 'give exactly one of --once, --matching and --deny')
}

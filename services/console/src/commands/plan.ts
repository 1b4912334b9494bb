import type { Plan, PlanItem } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { z } from 'zod'
import type { CommandContext, ExitCode, Palette } from '../context.js'
import { withJson, withTarget, type Register } from './command.js'
import { printable } from './print/printable.js'

const OptionsSchema = z.object({ json: z.boolean().default(false) })

/** `scid plan RUN [--json]` */
export const registerPlan: Register = (program, launch) => {
  withJson(withTarget(program.command('plan')), 'one JSON document')
    .description('show the plan of a run as it was last set')
    .argument('<run>', 'id of the run')
    .action(async (runId: string, given: unknown) => {
      const { json } = OptionsSchema.parse(given)
      await launch(given, (context) => showPlan(context, runId, json))
    })
}

async function showPlan(
  { stack, output, interrupts }: CommandContext,
  runId: string,
  json: boolean,
): Promise<ExitCode> {
  const signal = interrupts.stop
  const { runs } = await stack.clients(signal)
  const { plan } = await runs.getPlan({ runId, minPosition: '' }, { signal })
  const { agentId, items, explanation, position } = plan ?? noPlan
  const record = { runId, agentId, items, explanation, position: Number(position) }
  await output.write(json ? `${JSON.stringify(record)}\n` : planText(plan ?? noPlan, output.colors))
  return 0
}

const noPlan: Plan = { agentId: '', items: [], explanation: '', position: 0n }

/** The steps with a mark for where each is. */
export function planText({ items, explanation, position }: Plan, colors: Palette): string {
  if (position === 0n) return 'no plan was set\n'
  if (items.length === 0) return 'the plan was cleared\n'
  const steps = items.map((item) => `${stepLine(item, colors)}\n`).join('')
  return explanation === '' ? steps : `${steps}${colors.dim(printable(explanation))}\n`
}

function stepLine({ step, status }: PlanItem, colors: Palette): string {
  const text = printable(step)
  switch (status) {
    case 'completed':
      return `${colors.green('✔')} ${text}`
    case 'in_progress':
      return `${colors.yellow('▶')} ${colors.bold(text)}`
    default:
      return `○ ${text}`
  }
}

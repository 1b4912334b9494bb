import {
  Severity,
  type DiagnoseResponse,
  type Finding,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { toPlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Register } from './command.js'
import { groupFindings } from './print/finding-groups.js'
import { findingsText } from './print/findings-text.js'

const OptionsSchema = z.object({ json: z.boolean().default(false) })

/** `scid doctor [--json]` */
export const registerDoctor: Register = (program, launch) => {
  withJson(withTarget(program.command('doctor')), 'one JSON document')
    .description('check the stack and say how to mend it; exits 1 when something does not work')
    .action(async (given: unknown) => {
      const { json } = OptionsSchema.parse(given)
      await launch(given, (context) => diagnose(context, json))
    })
}

const timeoutMs = 60_000

async function diagnose(context: CommandContext, json: boolean): Promise<ExitCode> {
  const { output } = context
  const groups = groupFindings(await ask(context))
  const healthy = groups.every(({ worst }) => worst !== 'error')
  const text = json
    ? `${JSON.stringify({ healthy, services: groups })}\n`
    : findingsText(groups, output.colors)
  await output.write(text)
  return healthy ? 0 : 1
}

/** A stack that does not start or answer is the first thing a doctor has to report. */
async function ask({ stack, interrupts }: CommandContext): Promise<DiagnoseResponse> {
  const signal = interrupts.stop
  try {
    const { operations } = await stack.clients(signal)
    return await operations.diagnose({}, { signal, timeoutMs })
  } catch (error) {
    const failure = toPlatformError(error)
    if (signal.aborted || failure.code === 'invalid') throw error
    return { service: 'stack', replicaId: '', findings: [unreachable(failure)] }
  }
}

function unreachable({ message, details }: ReturnType<typeof toPlatformError>): Finding {
  const remedy = details.remedy ?? "start the stack with 'scid up' and read what it says"
  return { name: 'answers', severity: Severity.SEVERITY_ERROR, message, remedy }
}

import { Option } from 'commander'
import { isProjectId } from '@sciencediscovery/run-events'
import { toPlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withJson, withTarget, type Register } from './command.js'
import { createApprovalDesk } from './follow/approval-desk.js'
import { followToEnd } from './follow/follow-to-end.js'
import { readInputs, type InputFile } from './start/input-option.js'
import { readModel, type ModelChoice } from './start/model-option.js'
import { openSession } from './start/session-choice.js'
import { uploadInput } from './start/upload.js'
import { stopRun } from './stop.js'
import { usageError } from './usage-error.js'

const OptionsSchema = z.object({
  model: z.string().optional(),
  project: z.string().optional(),
  session: z.string().optional(),
  profile: z.string().optional(),
  input: z.array(z.string()).default([]),
  approve: z.enum(['ask', 'always', 'deny']).optional(),
  json: z.boolean().default(false),
})
type RunOptions = z.infer<typeof OptionsSchema>

const maxTaskBytes = 1024 * 1024

/** `scid run TASK [--model ...] [--input FILE[=DEST]]... [--approve ...] [--json]` */
export const registerRun: Register = (program, launch) => {
  withJson(
    withTarget(program.command('run')),
    'one event per line as JSON, and nothing else on standard output',
  )
    .description('hand over a task and follow the run to its end')
    .argument('<task>', 'what is to be done')
    .option(
      '--model <model>',
      'scripted:FILE, openai:NAME or anthropic:NAME (default: of the session)',
    )
    .option('--project <project>', 'project of a new session (default: default)')
    .option('--session <session>', 'go on in this session (default: a new one)')
    .addOption(
      new Option('--profile <profile>', 'spelling of the tools').choices(['science', 'harness']),
    )
    .option('--input <file[=dest]>', 'upload a file to the workspace first; repeatable', collect)
    .addOption(
      new Option(
        '--approve <mode>',
        'who decides about calls that need permission (default: ask)',
      ).choices(['ask', 'always', 'deny']),
    )
    .action(async (task: string, given: unknown) => {
      const options = OptionsSchema.parse(given)
      checkTask(task)
      checkProject(options.project)
      await launch(given, (context) => runTask(context, task, options))
    })
}

async function runTask(
  context: CommandContext,
  task: string,
  options: RunOptions,
): Promise<ExitCode> {
  const model = await readModel(context.files, options.model)
  const inputs = await readInputs(context.files, options.input)
  const runId = await startRun(context, { task, options, model, inputs })
  await using desk = createApprovalDesk(context, runId, options.approve ?? 'ask')
  const { stop, leave } = context.interrupts
  const ended = new AbortController()
  const signal = AbortSignal.any([leave, ended.signal])
  const onStop = (): void => void stopAtInterrupt(context, runId, signal)
  if (stop.aborted) onStop()
  else stop.addEventListener('abort', onStop)
  try {
    const onEvent = desk.onEvent.bind(desk)
    return await followToEnd(context, {
      runId,
      after: 0,
      json: options.json,
      signal: leave,
      onEvent,
    })
  } finally {
    stop.removeEventListener('abort', onStop)
    ended.abort()
  }
}

interface RunRequest {
  readonly task: string
  readonly options: RunOptions
  readonly model: ModelChoice
  readonly inputs: readonly InputFile[]
}

async function startRun(
  context: CommandContext,
  { task, options, model, inputs }: RunRequest,
): Promise<string> {
  const session = await openSession(context, {
    sessionId: options.session,
    projectId: options.project,
    profile: options.profile,
    approve: options.approve,
    model: model.model,
    task,
  })
  const { sessionId, projectId } = session
  for (const input of inputs) {
    await uploadInput(context, { sessionId, projectId }, input)
    context.output.note(`uploaded ${input.path} to ${input.destination}`)
  }
  // Not given up at the first Ctrl-C: a run that was started must be known, to be stopped.
  const signal = context.interrupts.leave
  context.interrupts.stop.throwIfAborted()
  const { runs } = await context.stack.clients(signal)
  const { runId } = await runs.startRun(
    {
      idempotencyKey: context.createKey(),
      sessionId,
      projectId,
      message: task,
      maxModelTurns: 0,
      ...model,
    },
    { signal },
  )
  context.output.note(`run ${runId} in session ${sessionId}`)
  return runId
}

/** The first Ctrl-C asks the run to stop; it is followed on until its open work has ended. */
async function stopAtInterrupt(
  context: CommandContext,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const { output } = context
  output.note('stopping the run; again to leave at once')
  try {
    await stopRun(context, { runId, reason: 'interrupted at the terminal', signal })
  } catch (error) {
    if (!signal.aborted)
      output.note(`the run could not be stopped: ${toPlatformError(error).message}`)
  }
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function checkTask(task: string): void {
  if (task.trim() === '') throw usageError('TASK', 'is empty', 'say what is to be done')
  const sizeBytes = Buffer.byteLength(task)
  if (sizeBytes <= maxTaskBytes) return
  const problem = `has ${sizeBytes} bytes, the limit is ${maxTaskBytes} (1 MiB)`
  throw usageError('TASK', problem, 'send long material as --input FILE')
}

function checkProject(project: string | undefined): void {
  if (project === undefined || isProjectId(project)) return
  const problem = `${JSON.stringify(project)} is no project id`
  throw usageError('--project', problem, "use letters, digits, '_' and '-', at most 64")
}

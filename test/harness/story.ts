import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlatformError } from '@sciencediscovery/kernel'
import { type Run } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import {
  ApprovalMode,
  InputPolicy,
  SessionSettings,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type RpcClient, rpcClient } from '@sciencediscovery/service-kit'
import { until } from '@sciencediscovery/testing'
import { type TestStack } from './local-stack.js'
import { type SeenEvent, watchRun } from './run-watcher.js'

/** One call of a scripted turn. */
export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

/** A call of a tool; arguments as a string are sent exactly so. */
export const call = (id: string, name: string, args: unknown): ScriptedCall => ({
  ...{ id, name },
  arguments: args,
})

export const shell = (id: string, command: string, waitMs = 30_000): ScriptedCall =>
  call(id, 'run_shell', { command, wait_ms: waitMs })

export const runsOf = ({ channel }: TestStack): RpcClient<typeof RunServiceService> =>
  rpcClient(RunServiceService, channel)

export const sessionsOf = ({ channel }: TestStack): RpcClient<typeof SessionServiceService> =>
  rpcClient(SessionServiceService, channel)

/** A script file for `--model`. */
export async function scriptFile(stack: TestStack, name: string, turns: unknown): Promise<string> {
  const file = join(stack.dataDir, `${name}.json`)
  await writeFile(file, JSON.stringify({ turns }))
  return `scripted:${file}`
}

/** A session that allows every call, unless it is set otherwise. */
export async function openSession(
  stack: TestStack,
  key: string,
  settings: Partial<SessionSettings> = {},
  projectId = 'default',
): Promise<string> {
  const { session } = await sessionsOf(stack).createSession({
    ...{ idempotencyKey: `session of ${key}`, projectId },
    settings: SessionSettings.create({
      ...{ title: key, approvalMode: ApprovalMode.APPROVAL_MODE_ALWAYS_ALLOW },
      inputPolicy: InputPolicy.INPUT_POLICY_ENQUEUE,
      ...settings,
    }),
  })
  return session?.sessionId ?? ''
}

export interface Input {
  readonly turns: unknown
  readonly message?: string
  readonly maxModelTurns?: number
}

/** Starts a run with a script of its own and gives its id. */
export async function start(
  stack: TestStack,
  sessionId: string,
  key: string,
  { turns, message = key, maxModelTurns = 0 }: Input,
): Promise<string> {
  const { runId } = await runsOf(stack).startRun({
    ...{ idempotencyKey: `run of ${key}`, sessionId, projectId: '', model: '' },
    ...{ message, maxModelTurns },
    script: Buffer.from(JSON.stringify({ turns })),
  })
  return runId
}

/** Every event of a run, once it has ended. */
export async function toEnd(
  stack: TestStack,
  runId: string,
  deadlineMs = 60_000,
): Promise<readonly SeenEvent[]> {
  await using watcher = watchRun(stack.channel, runId)
  await watcher.waitForEnd(deadlineMs)
  return watcher.events
}

/** Plays turns in a session of their own. */
export async function play(
  stack: TestStack,
  key: string,
  turns: unknown,
): Promise<readonly SeenEvent[]> {
  return toEnd(stack, await start(stack, await openSession(stack, key), key, { turns }))
}

/** The run with this task, as soon as it is listed. */
export async function listedRun(stack: TestStack, goal: string): Promise<Run> {
  let found: Run | undefined
  await until(
    `a run to ${goal} is listed`,
    async () => {
      const page = { projectId: '', sessionId: '', pageSize: 200, pageToken: '', minPosition: '' }
      const { runs } = await runsOf(stack).listRuns(page)
      found = runs.find((run) => run.goal === goal)
      return found !== undefined
    },
    20_000,
  )
  if (!found) throw new Error(goal)
  return found
}

export const ofType = (events: readonly SeenEvent[], type: string): readonly SeenEvent[] =>
  events.filter((event) => event.type === type)

/** The end of a call by its id. */
export function endOf(events: readonly SeenEvent[], callId: string): SeenEvent | undefined {
  const ends = ['tool.call.completed', 'tool.call.failed', 'tool.call.superseded']
  return events.find((event) => ends.includes(event.type) && event.data.callId === callId)
}

/** `code: message` and the remedy of a refusal; `accepted` when there was none. */
export async function refusalOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked
    return 'accepted'
  } catch (error) {
    if (!isPlatformError(error)) throw error
    return `${error.code}: ${error.message} · ${error.details.remedy ?? 'no remedy'}`
  }
}

import { type AskedToolCall, type RunEvent, type Usage } from '@sciencediscovery/run-events'
import { lostMessage } from './decide-ends.js'
import { type CompleteCall, type RecordModelTurn } from './commands.js'

/** The time of every example. */
export const at = '2026-11-30T12:00:00.000Z'
export const later = (ms: number): string => new Date(Date.parse(at) + ms).toISOString()
export const by = { writer: 'replica-a', now: at }

export const header = {
  projectId: 'default',
  sessionId: 's-0000000000000001-default',
  runId: 'r-0-0000000000000001-default',
  agentId: 'a-0000000000000001-default',
  workspaceId: 'w-local-0000000000000001-default',
  runnerId: 'local',
  environmentId: '',
  trigger: { kind: 'message' as const, id: 'm1' },
  goal: 'count the reads',
  model: 'openai:gpt',
  profile: 'science',
  toolPolicy: { allow: [], deny: [] },
  systemPrompt: { version: '1', digest: 'a'.repeat(64) },
  conversationRef: null,
  turnsBefore: 0,
  limits: {
    maxModelTurns: 128,
    maxModelRetries: 2,
    idleMs: 0,
    wallMs: 0,
    maxTokens: 0,
    maxCostUsd: 0,
  },
}

export const started = {
  type: 'run.started',
  v: 1,
  data: { ...header, at },
} as const satisfies RunEvent
export const message = {
  type: 'message.added',
  v: 1,
  data: { role: 'user', text: 'count the reads' },
} as const satisfies RunEvent

/** Usage after so many priced turns. */
export const completed = (modelTurns: number): Usage => ({
  modelTurns,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  unpricedTurns: 0,
})

export function asked(callId: string, change: Partial<AskedToolCall> = {}): AskedToolCall {
  return {
    callId,
    name: 'run_shell',
    argumentsText: '{"command":"true"}',
    argumentsDigest: 'same',
    concurrency: 'exclusive',
    replay: 'keyed',
    observation: false,
    deadlineMs: 0,
    ...(change.name === undefined || change.name === 'execution_status'
      ? {}
      : { argumentsDigest: callId }),
    ...change,
  }
}

export const turn = {
  requested: (n: number, change: { attempt?: number; writer?: string; notBefore?: string } = {}) =>
    ({
      type: 'model.turn.requested',
      v: 1,
      data: { turn: n, attempt: 1, writer: 'replica-a', at, ...change },
    }) as const satisfies RunEvent,
  completed: (n: number, toolCalls: AskedToolCall[]) =>
    ({
      type: 'model.turn.completed',
      v: 1,
      data: {
        turn: n,
        attempt: 1,
        text: 'text',
        toolCalls,
        stop: 'tool_calls',
        model: 'gpt',
        costUsd: 0,
      },
    }) as const satisfies RunEvent,
}

export function turnCommand(n: number, toolCalls: RecordModelTurn['toolCalls']): RecordModelTurn {
  return {
    type: 'RecordModelTurn',
    turn: n,
    attempt: 1,
    text: 'text',
    toolCalls,
    stop: 'tool_calls',
    model: 'gpt',
    costUsd: 0,
    ...by,
  }
}

export const requested = (callId: string, name = 'run_shell', n = 1) =>
  ({
    type: 'tool.call.requested',
    v: 1,
    data: { callId, name, turn: n, attempt: 1, writer: 'replica-a', at },
  }) as const satisfies RunEvent

/** The command that ends a call with a result. */
export function result(callId: string, _name = 'run_shell'): CompleteCall {
  return {
    type: 'CompleteCall',
    callId,
    attempt: 1,
    isError: false,
    text: 'done',
    details: { json: {} },
    effects: [],
    ...by,
  }
}
result.events = (callId: string, name = 'run_shell', text = 'done') =>
  [
    {
      type: 'tool.call.completed',
      v: 1,
      data: { callId, name, isError: false, text, details: { json: {} } },
    },
  ] as const satisfies RunEvent[]

const items = (steps: readonly string[]) =>
  steps.map((step) => ({ step, status: 'pending' as const }))

/** A plan call as the reactor hands it over. */
export function planOf(
  callId: string,
  steps: readonly string[],
): RecordModelTurn['toolCalls'][number] {
  const call = asked(callId, { name: 'update_plan', concurrency: 'shared', replay: 'keyed' })
  return { ...call, own: { kind: 'plan', items: items(steps) } }
}
planOf.events = (callId: string, steps: readonly string[]) =>
  [
    { type: 'plan.updated', v: 1, data: { callId, agentId: header.agentId, items: items(steps) } },
    {
      type: 'tool.call.completed',
      v: 1,
      data: {
        callId,
        name: 'update_plan',
        isError: false,
        text: `The plan was set: ${steps.length} steps.`,
        details: { json: { plan: items(steps) } },
      },
    },
  ] as const satisfies RunEvent[]

/** The end of a call whose outcome cannot be known. */
export const lost = (callId: string) =>
  ({
    type: 'tool.call.failed',
    v: 1,
    data: { callId, name: 'run_shell', reason: 'unknown', message: lostMessage },
  }) as const satisfies RunEvent

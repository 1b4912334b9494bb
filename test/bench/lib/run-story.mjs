import { commandIdOf, shardOf } from '@sciencediscovery/event-store'
import { mainAgentIdOf, runIdOf, sessionIdOf, workspaceIdOf } from '@sciencediscovery/run-events'

const projectId = 'bench'
export const stepText = 'x'.repeat(512)

/** Ids as the product makes them; `key` tells runs apart. */
export function idsOf(key, shards) {
  const hash = commandIdOf('bench', key).slice(0, 16)
  const sessionId = sessionIdOf(hash, projectId)
  const agentId = mainAgentIdOf(sessionId)
  const runId = runIdOf(shardOf(sessionId, shards), hash, projectId)
  return { projectId, sessionId, agentId, runId, workspaceId: workspaceIdOf(agentId, 'local') }
}

const by = () => ({ writer: 'bench', now: new Date().toISOString() })

/** The commands of a run, as its reactors give them. */
export const commands = {
  start: (ids) => ({
    type: 'StartRun',
    header: {
      ...ids,
      runnerId: 'local',
      environmentId: '',
      trigger: { kind: 'message', id: 'm1' },
      goal: 'bench',
      model: 'scripted',
      profile: 'science',
      toolPolicy: { allow: [], deny: [] },
      systemPrompt: { version: '1', digest: 'a'.repeat(64) },
      conversationRef: null,
      turnsBefore: 0,
      limits: {
        maxModelTurns: 1_000_000,
        maxModelRetries: 2,
        ...{ idleMs: 0, wallMs: 0, maxTokens: 0, maxCostUsd: 0 },
      },
    },
    message: 'bench',
    ...by(),
  }),
  turn: (turn, toolCalls) => ({
    type: 'RecordModelTurn',
    turn,
    attempt: 1,
    text: '',
    toolCalls,
    stop: toolCalls.length > 0 ? 'tool_calls' : 'end',
    model: 'bench',
    ...{ inputTokens: 1, outputTokens: 1, costUsd: 0 },
    ...by(),
  }),
  complete: (callId, text = stepText) => ({
    type: 'CompleteCall',
    callId,
    attempt: 1,
    isError: false,
    text,
    details: { json: {} },
    effects: [],
    ...by(),
  }),
}

/** A call as the model asked for it; ids are unlike, so that the repeat guard stays out of it. */
export function askedCall(callId, own) {
  const asked = {
    callId,
    name: 'step',
    argumentsText: '{}',
    argumentsDigest: callId,
    concurrency: 'exclusive',
    replay: 'keyed',
    observation: false,
    deadlineMs: 0,
  }
  return own ? { ...asked, own } : asked
}

/** The result of one of the orchestrator's own tools, decided in the commit of its turn. */
export const ownResult = { kind: 'result', isError: false, text: stepText, details: { json: {} } }

import { type Run, RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { type RunFacts, type RunState } from '../domain/run/state.js'

/** A run as its stream tells it. */
export function toWireRun(state: RunState & { readonly facts: RunFacts }): Run {
  const { header, usage } = state.facts
  return {
    runId: header.runId,
    sessionId: header.sessionId,
    projectId: header.projectId,
    status: statusOf(state),
    goal: header.goal,
    model: header.model,
    reason: 'reason' in state ? state.reason : '',
    startedAt: header.at,
    endedAt: 'endedAt' in state ? state.endedAt : '',
    usage: {
      modelTurns: usage.modelTurns,
      inputTokens: BigInt(usage.inputTokens),
      outputTokens: BigInt(usage.outputTokens),
      costUsd: usage.unpricedTurns === 0 ? usage.costUsd : undefined,
      unpricedTurns: usage.unpricedTurns,
    },
  }
}

export function statusOf(state: RunState): RunStatus {
  switch (state.status) {
    case 'unborn':
      return RunStatus.RUN_STATUS_QUEUED
    case 'running':
      return isBlocked(state) ? RunStatus.RUN_STATUS_BLOCKED : RunStatus.RUN_STATUS_RUNNING
    case 'cancelling':
    case 'tombstone':
      return RunStatus.RUN_STATUS_CANCELLING
    case 'completed':
      return RunStatus.RUN_STATUS_COMPLETED
    case 'failed':
      return RunStatus.RUN_STATUS_FAILED
    case 'cancelled':
      return RunStatus.RUN_STATUS_CANCELLED
  }
}

function isBlocked(state: Extract<RunState, { status: 'running' }>): boolean {
  if (state.phase.kind !== 'tools') return false
  const stages = state.phase.calls.map((call) => call.stage.at)
  return stages.includes('blocked') && !stages.includes('requested')
}

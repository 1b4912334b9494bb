import { streamOfSubject } from '@sciencediscovery/event-store'
import { encodePosition } from '@sciencediscovery/projection'
import { runSubject } from '@sciencediscovery/run-events'
import { type Context, nowOf } from '../context.js'
import { type OpenRequest } from '../domain/run/open-requests.js'
import { type RunFacts } from '../domain/run/state.js'
import { type CallPlace } from '../tool-client.js'

type ToolRequest = Extract<OpenRequest, { kind: 'tool' }>

/** One call to make, and the state that asked for it. */
export interface ToolJob {
  readonly facts: RunFacts
  readonly request: ToolRequest
  /** Stream sequence of the state that asked: views must have come that far. */
  readonly sequence: number
}
/** Unique for a call of a run: models repeat ids across turns. */
export function callKeyOf(job: ToolJob): string {
  const { request, facts } = job
  return `${facts.header.runId}/${request.turn}/${request.call.asked.callId}`
}

/** Where the call comes from and what it may touch, as the gateway is told. */
export function placeOf(ctx: Context, job: ToolJob): CallPlace {
  const { header } = job.facts
  const {
    projectId,
    sessionId,
    runId,
    agentId,
    workspaceId,
    runnerId,
    environmentId,
    profile,
    toolPolicy,
  } = header
  const stream = streamOfSubject(runSubject(runId), ctx.store.runShards)
  return {
    projectId,
    sessionId,
    runId,
    agentId,
    workspaceId,
    runnerId,
    environmentId,
    profile,
    toolPolicy,
    callId: job.request.call.asked.callId,
    turn: job.request.turn,
    minPosition: encodePosition({ stream, sequence: job.sequence }),
  }
}

/** Who records, when, and for which try of which call. */
export function baseOf(
  ctx: Context,
  job: ToolJob,
): { callId: string; attempt: number; writer: string; now: string } {
  const { call, attempt } = job.request
  return { callId: call.asked.callId, attempt, writer: ctx.here.replicaId, now: nowOf(ctx) }
}

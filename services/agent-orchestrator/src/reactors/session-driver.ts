import { commandIdOf, type Folded } from '@sciencediscovery/event-store'
import {
  mainAgentIdOf,
  runSubject,
  sessionSubject,
  workspaceIdOf,
} from '@sciencediscovery/run-events'
import { createHash } from 'node:crypto'
import { type RunState } from '../domain/run/state.js'
import { type SessionCommand } from '../domain/session/commands.js'
import { type LivingSession, type SessionState } from '../domain/session/state.js'
import { type Context, nowOf } from '../context.js'
import { systemPrompt } from '../system-prompt.js'
import { storeConversation } from './conversation.js'
import { decisionCommand } from './ask-permission.js'
import { type RunDriver } from './run-driver.js'

/** Carries out what sessions decided: starts admitted runs, stops interrupted ones, brings decisions to their calls. */
export interface SessionDriver {
  /** Level-triggered: may be told twice. Settles everything the state asks for. */
  drive(folded: Folded<SessionState>): Promise<void>
  handle(
    sessionId: string,
    command: SessionCommand,
    cause: {
      readonly commandId: string
      readonly causationId: string
      readonly correlationId: string
      readonly requestDigest?: string
    },
  ): Promise<{ readonly folded: Folded<SessionState>; readonly sequence: number }>
  /** Tells the session that a run has ended, which admits the next one. */
  endRun(state: RunState): Promise<void>
}

export function createSessionDriver(ctx: Context, runs: () => RunDriver): SessionDriver {
  const drive: SessionDriver['drive'] = async ({ state }) => {
    if (state.status === 'unborn' || !state.active) return
    await startAdmitted(ctx, runs(), state, state.active.run)
    await bringDecisions(ctx, runs(), state)
    if (isInterrupted(state)) await interrupt(ctx, runs(), state.active.run.runId)
  }
  const handle: SessionDriver['handle'] = async (sessionId, command, cause) => {
    const { folded, commit } = await ctx.sessions.handle(sessionSubject(sessionId), command, cause)
    await drive(folded)
    return { folded, sequence: commit?.sequence ?? folded.sequence }
  }
  return {
    drive,
    handle,
    async endRun(state) {
      if (state.status !== 'completed' && state.status !== 'failed' && state.status !== 'cancelled')
        return
      const { sessionId, runId } = state.facts.header
      await handle(
        sessionId,
        {
          type: 'EndRun',
          runId,
          status: state.status,
          turns: state.facts.turnsCompleted,
          writer: ctx.here.replicaId,
          now: nowOf(ctx),
        },
        { commandId: commandIdOf(runId, 'end-run'), causationId: runId, correlationId: runId },
      )
    },
  }
}

type Active = NonNullable<LivingSession['active']>['run']

async function startAdmitted(
  ctx: Context,
  runs: RunDriver,
  session: LivingSession,
  run: Active,
): Promise<void> {
  const born = await ctx.runs.load(runSubject(run.runId))
  // Started already: whoever acts on it is a matter of the run, not of the session.
  if (born.state.status !== 'unborn' && born.state.status !== 'tombstone') return
  const { settings, sessionId, projectId } = session
  const agentId = mainAgentIdOf(sessionId)
  const conversationRef = await conversationBefore(ctx, session)
  const header = {
    projectId,
    sessionId,
    runId: run.runId,
    agentId,
    workspaceId: workspaceIdOf(agentId, settings.runnerId),
    runnerId: settings.runnerId,
    environmentId: settings.environmentId,
    trigger: run.trigger,
    goal: run.goal,
    model: run.model,
    profile: settings.profile,
    toolPolicy: settings.toolPolicy,
    systemPrompt: {
      version: systemPrompt.version,
      digest: createHash('sha256').update(systemPrompt.text).digest('hex'),
    },
    conversationRef,
    turnsBefore: session.turnsCompleted,
    limits: run.limits,
  }
  await runs.handle(
    run.runId,
    { type: 'StartRun', header, message: run.message, writer: ctx.here.replicaId, now: nowOf(ctx) },
    { commandId: commandIdOf(run.runId, 'start'), causationId: sessionId },
  )
}

async function conversationBefore(ctx: Context, session: LivingSession): Promise<string | null> {
  if (session.lastRunId === undefined) return null
  const { state } = await ctx.runs.load(runSubject(session.lastRunId))
  return 'facts' in state ? storeConversation(ctx.texts, state.facts) : null
}

async function bringDecisions(
  ctx: Context,
  runs: RunDriver,
  session: LivingSession,
): Promise<void> {
  for (const permission of session.permissions) {
    const command = decisionCommand(ctx, permission)
    if (!command || permission.runId !== session.active?.run.runId) continue
    await runs.handle(permission.runId, command, {
      commandId: commandIdOf(permission.requestId, 'decision'),
      causationId: permission.requestId,
    })
  }
}

// Under the policy `interrupt` whatever waits in the queue wants the active run gone.
function isInterrupted(session: LivingSession): boolean {
  return session.settings.inputPolicy === 'interrupt' && session.queue.length > 0
}

async function interrupt(ctx: Context, runs: RunDriver, runId: string): Promise<void> {
  await runs.handle(
    runId,
    {
      type: 'RequestCancel',
      reason: 'a newer message came',
      by: 'session',
      writer: ctx.here.replicaId,
      now: nowOf(ctx),
    },
    { commandId: commandIdOf(runId, 'interrupt'), causationId: runId },
  )
}

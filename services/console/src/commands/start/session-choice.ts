import {
  ApprovalMode as WireMode,
  InputPolicy,
  type Session,
  type SessionSettings,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { PlatformError } from '@sciencediscovery/kernel'
import type { CommandContext } from '../../context.js'
import type { ApprovalMode } from '../follow/approval-desk.js'
import { shortened } from '../print/printable.js'

/** What the caller wants the session to be; undefined leaves it as it is. */
export interface SessionWish {
  readonly sessionId: string | undefined
  readonly projectId: string | undefined
  readonly profile: string | undefined
  readonly approve: ApprovalMode | undefined
  readonly model: string
  readonly task: string
}

/** The session that answers: the one that is named, changed where it must be, or a new one. */
export async function openSession(context: CommandContext, wish: SessionWish): Promise<Session> {
  return wish.sessionId === undefined
    ? createSession(context, wish)
    : adjustSession(context, wish, wish.sessionId)
}

async function createSession(context: CommandContext, wish: SessionWish): Promise<Session> {
  const signal = context.interrupts.stop
  const { sessions } = await context.stack.clients(signal)
  const settings: SessionSettings = {
    title: shortened(wish.task.replace(/\s+/g, ' ').trim(), 80),
    profile: wish.profile ?? 'science',
    model: wish.model,
    approvalMode: wireMode(wish.approve ?? 'ask'),
    inputPolicy: InputPolicy.INPUT_POLICY_ENQUEUE,
    toolPolicy: { allow: [], deny: [] },
    skills: [],
    sources: [],
    environmentId: '',
    runnerId: '',
  }
  const { session } = await sessions.createSession(
    { idempotencyKey: context.createKey(), projectId: wish.projectId ?? 'default', settings },
    { signal },
  )
  return present(session)
}

async function adjustSession(
  context: CommandContext,
  wish: SessionWish,
  sessionId: string,
): Promise<Session> {
  const signal = context.interrupts.stop
  const { sessions } = await context.stack.clients(signal)
  const projectId = wish.projectId ?? ''
  const answer = await sessions.getSession({ sessionId, projectId, minPosition: '' }, { signal })
  const session = present(answer.session)
  const { settings } = session
  if (!settings) return session
  const wanted = {
    ...settings,
    profile: wish.profile ?? settings.profile,
    approvalMode: wish.approve === undefined ? settings.approvalMode : wireMode(wish.approve),
  }
  if (wanted.profile === settings.profile && wanted.approvalMode === settings.approvalMode)
    return session
  const idempotencyKey = context.createKey()
  const changed = await sessions.updateSession(
    { idempotencyKey, sessionId, projectId: session.projectId, settings: wanted },
    { signal },
  )
  return present(changed.session)
}

function wireMode(mode: ApprovalMode): WireMode {
  return mode === 'always' ? WireMode.APPROVAL_MODE_ALWAYS_ALLOW : WireMode.APPROVAL_MODE_ASK
}

function present(session: Session | undefined): Session {
  if (session) return session
  throw new PlatformError('bug', 'the answer holds no session')
}

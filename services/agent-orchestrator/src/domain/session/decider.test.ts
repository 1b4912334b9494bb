import { specFor } from '@sciencediscovery/testing'
import { describe, test } from 'vitest'
import { sessionDecider } from './decider.js'
import { keptPermissions } from './evolve.js'
import { type QueuedRun, type SessionEvent, type SessionSettings } from './events.js'

const at = '2026-11-30T12:00:00.000Z'
const by = { writer: 'replica-a', now: at }
const sessionId = 's-0000000000000001-default'
const settings: SessionSettings = {
  title: '',
  profile: 'science',
  model: 'openai:gpt',
  approvalMode: 'ask',
  inputPolicy: 'enqueue',
  toolPolicy: { allow: [], deny: [] },
  skills: [],
  sources: [],
  environmentId: '',
  runnerId: 'local',
}
const limits = {
  maxModelTurns: 128,
  maxModelRetries: 2,
  idleMs: 0,
  wallMs: 0,
  maxTokens: 0,
  maxCostUsd: 0,
}
const run = (runId: string): QueuedRun => ({
  runId,
  trigger: { kind: 'message', id: runId },
  message: 'hello',
  goal: 'hello',
  model: 'openai:gpt',
  limits,
})
const created = (change: Partial<SessionSettings> = {}): SessionEvent => ({
  type: 'session.created',
  v: 1,
  data: { sessionId, projectId: 'default', settings: { ...settings, ...change }, at },
})
const queued = (runId: string): SessionEvent => ({
  type: 'session.run.queued',
  v: 1,
  data: { run: run(runId), at },
})
const admitted = (runId: string): SessionEvent => ({
  type: 'session.run.admitted',
  v: 1,
  data: { runId, writer: 'replica-a', at },
})
const ended = (runId: string): SessionEvent => ({
  type: 'session.run.ended',
  v: 1,
  data: { runId, status: 'completed', turns: 3, at },
})
const need = {
  runId: 'r1',
  callId: 'c1',
  action: 'code',
  resource: 'workspace-code',
  summary: 'run_shell wants to run',
}
const requested = (requestId: string, callId = 'c1'): SessionEvent => ({
  type: 'permission.requested',
  v: 1,
  data: { ...need, callId, requestId, at },
})
const resolved = (
  requestId: string,
  source: 'always_allow' | 'existing_grant' | 'user_once' | 'user_grant',
  callId = 'c1',
): SessionEvent => ({
  type: 'permission.resolved',
  v: 1,
  data: {
    requestId,
    runId: 'r1',
    callId,
    state: 'allowed',
    authorization: {
      authorizationId: `auth-${requestId}`,
      action: 'code',
      resource: 'workspace-code',
      source,
    },
    by: source === 'user_once' || source === 'user_grant' ? 'me' : 'session',
    at,
  },
})

const given = specFor(sessionDecider)

describe('session', () => {
  describe('admission', () => {
    test('an input to an idle session is queued and admitted in one decision', () => {
      given(created())
        .when({ type: 'SubmitInput', run: run('r1'), ...by })
        .then(queued('r1'), admitted('r1'))
    })

    test('of two inputs at once the second waits, and is admitted by the end of the first', () => {
      given(created(), queued('r1'), admitted('r1'))
        .when({ type: 'SubmitInput', run: run('r2'), ...by })
        .then(queued('r2'))
      given(created(), queued('r1'), admitted('r1'), queued('r2'))
        .when({ type: 'EndRun', runId: 'r1', status: 'completed', turns: 3, ...by })
        .then(ended('r1'), admitted('r2'))
    })

    test('under reject a second input is refused, under interrupt the first run is asked to stop', () => {
      given(created({ inputPolicy: 'reject' }), queued('r1'), admitted('r1'))
        .when({ type: 'SubmitInput', run: run('r2'), ...by })
        .thenRefused('refused')
      given(created({ inputPolicy: 'interrupt' }), queued('r1'), admitted('r1'))
        .when({ type: 'SubmitInput', run: run('r2'), ...by })
        .then(queued('r2'), {
          type: 'session.run.interrupted',
          v: 1,
          data: { runId: 'r1', by: 'r2', at },
        })
    })

    test('a queued run can be taken back, an admitted one cannot', () => {
      given(created(), queued('r1'), admitted('r1'), queued('r2'))
        .when({ type: 'WithdrawRun', runId: 'r2', reason: 'mistake', ...by })
        .then({ type: 'session.run.withdrawn', v: 1, data: { runId: 'r2', reason: 'mistake', at } })
      given(created(), queued('r1'), admitted('r1'))
        .when({ type: 'WithdrawRun', runId: 'r1', reason: 'mistake', ...by })
        .thenNothing()
    })

    test('an archived session takes no input, a busy one is not archived', () => {
      given(created(), { type: 'session.archived', v: 1, data: { at } })
        .when({ type: 'SubmitInput', run: run('r1'), ...by })
        .thenRefused('refused')
      given(created(), queued('r1'), admitted('r1'))
        .when({ type: 'ArchiveSession', ...by })
        .thenRefused('refused')
    })
  })

  describe('X-10: permissions', () => {
    const active = [created(), queued('r1'), admitted('r1')]

    test('a request waits for a person in mode ask', () => {
      given(...active)
        .when({ type: 'RequestPermission', requestId: 'p1', ...need, ...by })
        .then(requested('p1'))
    })

    test('I-14: always_allow and grants answer at once, with one authorization', () => {
      given(created({ approvalMode: 'always_allow' }), queued('r1'), admitted('r1'))
        .when({ type: 'RequestPermission', requestId: 'p1', ...need, ...by })
        .then(requested('p1'), resolved('p1', 'always_allow'))
      const grant = {
        type: 'grant.created',
        v: 1,
        data: { grantId: 'g', action: 'code', resource: 'workspace-code', by: 'me', at },
      } as const
      given(...active, grant)
        .when({ type: 'RequestPermission', requestId: 'p1', ...need, ...by })
        .then(requested('p1'), resolved('p1', 'existing_grant'))
    })

    test('decided requests outlive their run, as many as are kept; they cannot be decided again', () => {
      const many = Array.from({ length: keptPermissions + 1 }, (_, nth) => `p${nth}`)
      const past = [...many.flatMap((id) => [requested(id), resolved(id, 'user_once')])]
      const decide = (requestId: string) =>
        ({ type: 'DecidePermission', requestId, decision: 'deny', by: 'me', ...by }) as const
      given(...active, ...past, ended('r1'))
        .when(decide('p0'))
        .thenRefused('not_found')
      given(...active, ...past, ended('r1'))
        .when(decide('p1'))
        .thenRefused('refused')
    })

    test('allow_matching grants, and releases every waiting request that matches', () => {
      given(...active, requested('p1'), requested('p2', 'c2'))
        .when({
          type: 'DecidePermission',
          requestId: 'p2',
          decision: 'allow_matching',
          by: 'me',
          ...by,
        })
        .then(
          {
            type: 'grant.created',
            v: 1,
            data: { grantId: 'grant-p2', action: 'code', resource: 'workspace-code', by: 'me', at },
          },
          resolved('p1', 'user_grant'),
          resolved('p2', 'user_grant', 'c2'),
        )
    })

    test('allow_once grants nothing; a decided request cannot be decided again, an unknown one is not found', () => {
      const decide = {
        type: 'DecidePermission',
        requestId: 'p1',
        decision: 'allow_once',
        by: 'me',
        ...by,
      } as const
      given(...active, requested('p1'))
        .when(decide)
        .then(resolved('p1', 'user_once'))
      given(...active, requested('p1'), resolved('p1', 'user_once'))
        .when(decide)
        .thenRefused('refused')
      given(...active)
        .when(decide)
        .thenRefused('not_found')
    })

    test('switching to always_allow releases what waits', () => {
      const next = { ...settings, approvalMode: 'always_allow' } as const
      given(...active, requested('p1'))
        .when({ type: 'UpdateSession', settings: next, by: 'session', ...by })
        .then(
          { type: 'session.updated', v: 1, data: { settings: next, at } },
          resolved('p1', 'always_allow'),
        )
    })

    test('what still waits when its run ends is cancelled', () => {
      given(...active, requested('p1'))
        .when({ type: 'EndRun', runId: 'r1', status: 'completed', turns: 3, ...by })
        .then(
          {
            type: 'permission.resolved',
            v: 1,
            data: {
              requestId: 'p1',
              runId: 'r1',
              callId: 'c1',
              state: 'cancelled',
              by: 'session',
              at,
            },
          },
          ended('r1'),
        )
    })
  })
})

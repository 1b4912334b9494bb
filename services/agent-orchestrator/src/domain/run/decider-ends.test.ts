import { specFor } from '@sciencediscovery/testing'
import { describe, test } from 'vitest'
import { runDecider } from './decider.js'
import {
  asked,
  at,
  by,
  completed,
  header,
  later,
  lost,
  message,
  requested,
  result,
  started,
  turn,
} from './run-fixture.js'

const given = specFor(runDecider)

describe('run', () => {
  describe('permissions', () => {
    const authorization = {
      authorizationId: 'a1',
      action: 'code',
      resource: 'workspace-code',
      source: 'user_once',
    } as const
    const need = {
      requestId: 'p1',
      action: 'code',
      resource: 'workspace-code',
      summary: 'run_shell wants to run',
    }
    const past = [
      started,
      message,
      turn.requested(1),
      turn.completed(1, [asked('c1')]),
      requested('c1'),
    ]
    const blocked = { type: 'tool.call.blocked', v: 1, data: { callId: 'c1', ...need } } as const
    const released = {
      type: 'tool.call.released',
      v: 1,
      data: { callId: 'c1', requestId: 'p1', authorization, attempt: 2, writer: 'replica-a', at },
    } as const

    test('a call waits, and is asked again with its authorization', () => {
      given(...past)
        .when({ type: 'BlockCall', callId: 'c1', attempt: 1, ...need, ...by })
        .then(blocked)
      given(...past, blocked)
        .when({ type: 'ReleaseCall', callId: 'c1', requestId: 'p1', authorization, ...by })
        .then(released)
    })

    test('the try that asked the session goes on with what it was allowed', () => {
      const release = { type: 'ReleaseCall', callId: 'c1', requestId: 'p1', authorization } as const
      const goesOn = { ...released, data: { ...released.data, attempt: 1 } }
      given(...past)
        .when({ ...release, attempt: 1, ...by })
        .then(goesOn)
      given(...past, goesOn)
        .when(result('c1'))
        .then(...result.events('c1'), turn.requested(2))
      const again = { ...requested('c1'), data: { ...requested('c1').data, attempt: 2 } }
      given(...past, again)
        .when({ ...release, attempt: 1, ...by })
        .thenNothing()
    })

    test('a decision that is faster than the wait wins', () => {
      given(...past, released)
        .when({ type: 'BlockCall', callId: 'c1', attempt: 1, ...need, ...by })
        .thenNothing()
      given(...past, released)
        .when({ type: 'ReleaseCall', callId: 'c1', requestId: 'p1', authorization, ...by })
        .thenNothing()
    })
  })

  describe('being stopped', () => {
    const past = [
      started,
      message,
      turn.requested(1),
      turn.completed(1, [asked('c1'), asked('c2')]),
      requested('c1'),
    ]
    const stop = {
      type: 'run.cancel.requested',
      v: 1,
      data: { reason: 'enough', by: 'me', at },
    } as const
    const cancelled = {
      type: 'run.cancelled',
      v: 1,
      data: { reason: 'enough', usage: completed(1), at },
    } as const

    test('open work ends first, what was not started never is', () => {
      given(...past)
        .when({ type: 'RequestCancel', reason: 'enough', by: 'me', ...by })
        .then(stop)
      given(...past, stop)
        .when(result('c1'))
        .then(...result.events('c1'), cancelled)
    })

    test('what does not end in time becomes unknown', () => {
      given(...past, stop)
        .when({ type: 'ForceEnd', ...by })
        .then(lost('c1'), cancelled)
    })

    test('stopping it again, or after its end, changes nothing', () => {
      given(...past, stop)
        .when({ type: 'RequestCancel', reason: 'again', by: 'me', ...by })
        .thenNothing()
      given(...past, stop, ...result.events('c1'), cancelled)
        .when({ type: 'RequestCancel', reason: 'again', by: 'me', ...by })
        .thenNothing()
    })
  })

  describe('X-12: lost outcomes', () => {
    test('a call that must not be asked twice becomes unknown when its writer is gone', () => {
      const call = asked('c1', { replay: 'unknown-on-crash' })
      given(started, message, turn.requested(1), turn.completed(1, [call]), requested('c1'))
        .when({ type: 'TakeOver', writer: 'replica-b', now: at })
        .then(lost('c1'), turn.requested(2, { writer: 'replica-b' }))
    })

    test('a keyed call is asked again under the new name', () => {
      given(started, message, turn.requested(1), turn.completed(1, [asked('c1')]), requested('c1'))
        .when({ type: 'TakeOver', writer: 'replica-b', now: at })
        .then({
          ...requested('c1'),
          data: { ...requested('c1').data, attempt: 2, writer: 'replica-b' },
        })
    })
  })

  describe('X-05: whose wall clock runs', () => {
    const limited = { ...header, limits: { ...header.limits, wallMs: 1000 } }
    const begun = { type: 'run.started', v: 1, data: { ...limited, at } } as const
    const past = [
      begun,
      message,
      turn.requested(1),
      turn.completed(1, [asked('c1')]),
      requested('c1'),
    ]
    const up = {
      reason: 'the run took longer than 1000 ms',
      by: 'platform:wall-clock',
      at: later(1000),
    }
    const stop = { type: 'run.cancel.requested', v: 1, data: up } as const

    test('time that is up ends the open work first, and then the run has failed', () => {
      given(...past)
        .when({ type: 'Expire', writer: 'replica-a', now: later(1000) })
        .then(stop)
      given(...past, stop)
        .when(result('c1'))
        .then(...result.events('c1'), {
          type: 'run.failed',
          v: 1,
          data: { reason: 'timeout_wall', message: up.reason, usage: completed(1), at },
        })
    })

    test('a timer that fires early changes nothing', () => {
      given(...past)
        .when({ type: 'Expire', writer: 'replica-a', now: later(999) })
        .thenNothing()
    })

    test('while a call waits for a person the clock does not run', () => {
      const need = { requestId: 'p1', action: 'code', resource: 'workspace-code', summary: 's' }
      const blocked = { type: 'tool.call.blocked', v: 1, data: { callId: 'c1', ...need } } as const
      given(...past, blocked)
        .when({ type: 'Expire', writer: 'replica-a', now: later(5000) })
        .thenNothing()
    })
  })
})

import { specFor } from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { type RunEvent } from '@sciencediscovery/run-events'
import { type RunCommand } from './commands.js'
import { runDecider } from './decider.js'
import {
  at,
  later,
  asked,
  by,
  completed,
  header,
  message,
  planOf,
  requested,
  result,
  started,
  turn,
  turnCommand,
} from './run-fixture.js'

const given = specFor(runDecider)

function decideAfter(past: readonly RunEvent[], command: RunCommand): readonly RunEvent[] {
  const state = past.reduce(
    (before, event) => runDecider.evolve(before, event),
    runDecider.initialState(),
  )
  return runDecider.decide(command, state)
}

describe('run', () => {
  describe('unborn', () => {
    test('starting it records who asked for what, and asks the model', () => {
      given()
        .when({ type: 'StartRun', header, message: 'count the reads', ...by })
        .then(started, message, turn.requested(1))
    })

    test('stopping it leaves a mark that refuses the later start', () => {
      const marked = {
        type: 'run.cancel.requested',
        v: 1,
        data: { reason: 'mistake', by: 'me', at },
      } as const
      given()
        .when({ type: 'RequestCancel', reason: 'mistake', by: 'me', ...by })
        .then(marked)
      given(marked)
        .when({ type: 'StartRun', header, message: 'count the reads', ...by })
        .then(started, message, {
          type: 'run.cancelled',
          v: 1,
          data: { reason: 'mistake', usage: completed(0), at },
        })
    })
  })

  describe('waiting for the model', () => {
    const past = [started, message, turn.requested(1)]

    test('an answer without calls completes it', () => {
      given(...past)
        .when(turnCommand(1, []))
        .then(turn.completed(1, []), {
          type: 'run.completed',
          v: 1,
          data: { usage: completed(1), at },
        })
    })

    test('an answer recorded twice changes nothing', () => {
      given(...past, turn.completed(1, [asked('c1')]), requested('c1'))
        .when(turnCommand(1, []))
        .thenNothing()
    })

    test('an answer of an attempt that was taken over is refused', () => {
      given(...past, turn.requested(1, { attempt: 2, writer: 'replica-b' }))
        .when(turnCommand(1, []))
        .thenRefused('refused')
    })

    test('a retryable failure asks again after a pause, and fails the run when the retries are used up', () => {
      const failure = {
        type: 'RecordModelFailure',
        reason: 'server_error',
        message: 'overloaded',
        retryable: true,
        ...by,
      } as const
      const recorded = (attempt: number) =>
        ({
          type: 'model.turn.failed',
          v: 1,
          data: {
            turn: 1,
            attempt,
            reason: 'server_error',
            message: 'overloaded',
            retryable: true,
          },
        }) as const
      given(...past)
        .when({ ...failure, turn: 1, attempt: 1 })
        .then(recorded(1), turn.requested(1, { attempt: 2, notBefore: later(500) }))
      given(
        ...past,
        recorded(1),
        turn.requested(1, { attempt: 2 }),
        recorded(2),
        turn.requested(1, { attempt: 3 }),
      )
        .when({ ...failure, turn: 1, attempt: 3 })
        .then(recorded(3), {
          type: 'run.failed',
          v: 1,
          data: { reason: 'server_error', message: 'overloaded', usage: completed(0), at },
        })
    })

    test('the pause is what the service asked for when it said so', () => {
      given(...past)
        .when({
          type: 'RecordModelFailure',
          turn: 1,
          attempt: 1,
          reason: 'rate_limited',
          message: 'slow down',
          retryable: true,
          retryAfterMs: 7000,
          ...by,
        })
        .then(
          {
            type: 'model.turn.failed',
            v: 1,
            data: {
              turn: 1,
              attempt: 1,
              reason: 'rate_limited',
              message: 'slow down',
              retryable: true,
            },
          },
          turn.requested(1, { attempt: 2, notBefore: later(7000) }),
        )
    })

    test('a gone writer is taken over by the next attempt, once', () => {
      const next = turn.requested(1, { attempt: 2, writer: 'replica-b' })
      given(...past)
        .when({ type: 'TakeOver', writer: 'replica-b', now: at })
        .then(next)
      given(...past, next)
        .when({ type: 'TakeOver', writer: 'replica-b', now: at })
        .thenNothing()
    })

    test('C-18: a further turn beyond the budget fails the run', () => {
      const small = { ...header, limits: { ...header.limits, maxModelTurns: 1 } }
      given(
        { ...started, data: { ...small, at } },
        message,
        turn.requested(1),
        turn.completed(1, [asked('c1')]),
        requested('c1'),
      )
        .when(result('c1'))
        .then(...result.events('c1'), {
          type: 'run.failed',
          v: 1,
          data: {
            reason: 'budget_exhausted',
            message: 'max_model_turns: 1 model turns are used up',
            usage: completed(1),
            at,
          },
        })
    })
  })

  describe('X-04: calls of one turn', () => {
    const past = [started, message, turn.requested(1)]
    const read = (id: string) =>
      asked(id, { name: 'read_file', concurrency: 'shared', replay: 'pure' })

    test('shared ones start together, exclusive ones wait for them and run alone', () => {
      const calls = [read('r1'), read('r2'), asked('x1'), read('r3')]
      given(...past)
        .when(turnCommand(1, calls))
        .then(turn.completed(1, calls), requested('r1', 'read_file'), requested('r2', 'read_file'))
      const open = [
        ...past,
        turn.completed(1, calls),
        requested('r1', 'read_file'),
        requested('r2', 'read_file'),
      ]
      given(...open)
        .when(result('r2', 'read_file'))
        .then(...result.events('r2', 'read_file'))
      given(...open, ...result.events('r2', 'read_file'))
        .when(result('r1', 'read_file'))
        .then(...result.events('r1', 'read_file'), requested('x1'))
      given(
        ...open,
        ...result.events('r2', 'read_file'),
        ...result.events('r1', 'read_file'),
        requested('x1'),
      )
        .when(result('x1'))
        .then(...result.events('x1'), requested('r3', 'read_file'))
    })

    test('the next turn is asked for when the last one has ended', () => {
      given(...past, turn.completed(1, [asked('c1')]), requested('c1'))
        .when(result('c1'))
        .then(...result.events('c1'), turn.requested(2))
    })

    test('an outcome that comes after the end of its call is kept as late, once, and not applied', () => {
      const late = {
        type: 'effect.recorded',
        v: 1,
        data: {
          effectId: 'late:c1',
          callId: 'c1',
          summary: 'the call had ended before this outcome came',
        },
      } as const
      const past2 = [
        ...past,
        turn.completed(1, [asked('c1')]),
        requested('c1'),
        ...result.events('c1'),
        turn.requested(2),
      ]
      given(...past2)
        .when(result('c1'))
        .then(late)
      given(...past2, late)
        .when(result('c1'))
        .thenNothing()
    })
  })

  describe('S-23, BR-049: plans', () => {
    const past = [started, message, turn.requested(1)]
    const plan = (id: string) =>
      asked(id, { name: 'update_plan', concurrency: 'shared', replay: 'keyed' })

    test('of several plans of one turn the last is taken, the others are superseded, the read beside them is intact', () => {
      const calls = [
        plan('p1'),
        asked('r1', { name: 'read_file', concurrency: 'shared', replay: 'pure' }),
        plan('p2'),
      ]
      given(...past)
        .when(turnCommand(1, [planOf('p1', ['a', 'b']), { ...calls[1]! }, planOf('p2', ['c'])]))
        .then(
          turn.completed(1, calls),
          requested('p1', 'update_plan'),
          {
            type: 'tool.call.superseded',
            v: 1,
            data: { callId: 'p1', name: 'update_plan', by: 'p2' },
          },
          requested('p2', 'update_plan'),
          ...planOf.events('p2', ['c']),
          requested('r1', 'read_file'),
        )
    })

    test('a plan that is refused leaves the one before it standing', () => {
      const refusal = {
        kind: 'result',
        isError: true,
        text: 'INVALID',
        details: { json: {} },
      } as const
      given(...past)
        .when(turnCommand(1, [planOf('p1', ['a']), { ...plan('p2'), own: refusal }]))
        .then(
          turn.completed(1, [plan('p1'), plan('p2')]),
          requested('p1', 'update_plan'),
          ...planOf.events('p1', ['a']),
          requested('p2', 'update_plan'),
          {
            type: 'tool.call.completed',
            v: 1,
            data: {
              callId: 'p2',
              name: 'update_plan',
              isError: true,
              text: 'INVALID',
              details: { json: {} },
            },
          },
          turn.requested(2),
        )
    })
  })

  describe('X-03: equal calls', () => {
    // n earlier turns, each with the same call.
    const repeated = (times: number) =>
      Array.from({ length: times }, (_, index) => index + 1).flatMap((n) => [
        turn.requested(n),
        turn.completed(n, [asked(`c${n}`)]),
        requested(`c${n}`, 'run_shell', n),
        ...result.events(`c${n}`),
      ])

    test('the ninth is run, the tenth is answered with a warning and not run, the twentieth is an error', () => {
      given(started, message, ...repeated(8), turn.requested(9))
        .when(turnCommand(9, [asked('c9')]))
        .then(turn.completed(9, [asked('c9')]), requested('c9', 'run_shell', 9))
      const verdicts = (n: number) =>
        decideAfter(
          [started, message, ...repeated(n - 1), turn.requested(n)],
          turnCommand(n, [asked(`c${n}`)]),
        ).flatMap((event) => (event.type === 'tool.call.completed' ? [event.data] : []))
      const [tenth] = verdicts(10)
      expect(tenth).toMatchObject({
        isError: false,
        details: { json: { warning: 'REPEATED_TOOL_CALL', count: 10 } },
      })
      const [twentieth] = verdicts(20)
      expect(twentieth).toMatchObject({
        isError: true,
        details: { json: { error: { code: 'TOOL_LOOP_DETECTED', retryable: false } } },
      })
    })

    test('an observation tool may repeat for as long as what it sees changes', () => {
      const status = (n: number) =>
        asked(`c${n}`, {
          name: 'execution_status',
          observation: true,
          concurrency: 'shared',
          replay: 'pure',
        })
      const events = Array.from({ length: 15 }, (_, index) => index + 1).flatMap((n) => [
        turn.requested(n),
        turn.completed(n, [status(n)]),
        requested(`c${n}`, 'execution_status', n),
        ...result.events(`c${n}`, 'execution_status', `line ${n}`),
      ])
      given(started, message, ...events, turn.requested(16))
        .when(turnCommand(16, [status(16)]))
        .then(turn.completed(16, [status(16)]), requested('c16', 'execution_status', 16))
    })
  })
})

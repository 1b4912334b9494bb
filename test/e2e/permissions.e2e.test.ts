import { RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { PermissionDecision } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { ApprovalMode } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Outcome, type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'
import { type SeenEvent } from '../harness/run-watcher.js'
import * as story from '../harness/story.js'

const { ALLOW_ONCE, ALLOW_MATCHING, DENY } = {
  ALLOW_ONCE: PermissionDecision.PERMISSION_DECISION_ALLOW_ONCE,
  ALLOW_MATCHING: PermissionDecision.PERMISSION_DECISION_ALLOW_MATCHING,
  DENY: PermissionDecision.PERMISSION_DECISION_DENY,
}
const ask = { approvalMode: ApprovalMode.APPROVAL_MODE_ASK }

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())

/** The request that waits, as ListPermissions shows it. */
async function pendingOf(runId: string, count = 1) {
  let found: readonly { readonly requestId: string; readonly callId: string }[] = []
  await until(
    `${runId} has ${count} open requests`,
    async () => {
      const answer = await story.runsOf(stack).listPermissions({ runId, pendingOnly: true })
      found = answer.requests
      return found.length === count
    },
    30_000,
  )
  return found
}

/** `scid run --approve ask` with nobody at a terminal, and what it asks for first. */
async function asked(goal: string, turns: unknown) {
  const model = await story.scriptFile(stack, goal.replaceAll(' ', '-'), turns)
  const outcome = stack.scid('run', goal, '--model', model, '--approve', 'ask', '--json')
  const { runId } = await story.listedRun(stack, goal)
  const [request] = await pendingOf(runId)
  return { outcome, runId, requestId: request?.requestId ?? '' }
}

const approve = (runId: string, requestId: string, how: string): Promise<Outcome> =>
  stack.scid('approve', runId, requestId, how)

const releasesOf = (events: readonly Pick<SeenEvent, 'type' | 'data'>[]) =>
  events.filter(({ type }) => type === 'tool.call.released').map(({ data }) => data.authorization)

describe('a call that needs permission › nobody at a terminal', () => {
  test('X-10: the request is printed with its command, and --once from another client runs that call only', async () => {
    const { outcome, runId, requestId } = await asked('allow one', [
      { text: '', toolCalls: [story.shell('s1', 'echo 1')] },
      { text: '', toolCalls: [story.shell('s2', 'echo 2')] },
      { text: 'done' },
    ])
    expect((await approve(runId, requestId, '--once')).stdout).toContain('allowed')
    const [second] = await pendingOf(runId)
    expect(second?.callId).toBe('s2')
    const { requests } = await story.runsOf(stack).listPermissions({ runId, pendingOnly: false })
    expect(requests.map(({ callId, state }) => `${callId} ${state}`)).toEqual([
      's1 allowed',
      's2 pending',
    ])
    expect((await approve(runId, second?.requestId ?? '', '--deny')).stdout).toContain('denied')
    const { code, stderr, stdout } = await outcome
    expect(stderr).toContain(`scid approve ${runId} ${requestId} --once|--matching|--deny`)
    expect(code).toBe(0)
    const events = eventsOf({ code, stderr, stdout })
    expect(releasesOf(events)).toEqual([expect.objectContaining({ source: 'user_once' })])
    expect(events.filter(({ type }) => type === 'execution.completed')).toHaveLength(1)
  })

  test('--matching releases this call and the ones that come, each with its own authorization', async () => {
    const { outcome, runId, requestId } = await asked('allow all that match', [
      { text: '', toolCalls: [story.shell('s1', 'echo 1')] },
      { text: '', toolCalls: [story.shell('s2', 'echo 2'), story.shell('s3', 'echo 3')] },
      { text: 'done' },
    ])
    await approve(runId, requestId, '--matching')
    const ended = await outcome
    expect(ended.code, ended.stderr).toBe(0)
    const releases = releasesOf(eventsOf(ended))
    expect(releases).toEqual([
      expect.objectContaining({ source: 'user_grant' }),
      expect.objectContaining({ source: 'existing_grant' }),
      expect.objectContaining({ source: 'existing_grant' }),
    ])
    expect(new Set(releases.map((one) => JSON.stringify(one))).size).toBe(3)
  })
})

describe('a call that needs permission › the stack stops while it waits', () => {
  test('the request waits in the new process, the decision is kept over a second stop', async () => {
    const sessionId = await story.openSession(stack, 'restarted', ask)
    const turns = [
      { text: '', toolCalls: [story.shell('s1', 'echo 1 > one.txt')] },
      { text: '', toolCalls: [story.shell('s2', 'cat one.txt')] },
      { text: 'done' },
    ]
    const runId = await story.start(stack, sessionId, 'restarted', { turns })
    const [before] = await pendingOf(runId)
    await stack.restart()
    const [after] = await pendingOf(runId)
    expect(after).toEqual(before)
    const requestId = after?.requestId ?? ''
    const decision = { idempotencyKey: 'kept', runId, requestId, decision: ALLOW_MATCHING }
    await story.runsOf(stack).decidePermission(decision)
    await stack.restart()
    const events = await story.toEnd(stack, runId)
    expect(events.at(-1)?.type).toBe('run.completed')
    expect(releasesOf(events)).toHaveLength(2)
    expect(story.endOf(events, 's2')?.data).toMatchObject({
      details: { execution: { exitCode: 0, stdout: '1\n' } },
    })
  })
})

describe('deciding', () => {
  test('the same key again is answered, another decision is refused, what is unknown is not found', async () => {
    const sessionId = await story.openSession(stack, 'twice', ask)
    const turns = [
      { text: '', toolCalls: [story.shell('s1', 'echo 1')] },
      { text: '', toolCalls: [story.shell('s2', 'echo 2')] },
      { text: 'done' },
    ]
    const runId = await story.start(stack, sessionId, 'twice', { turns })
    const [request] = await pendingOf(runId)
    const requestId = request?.requestId ?? ''
    const runs = story.runsOf(stack)
    const decide = (idempotencyKey: string, decision: PermissionDecision, of = requestId) =>
      runs.decidePermission({ idempotencyKey, runId, requestId: of, decision })
    expect(await story.refusalOf(decide('unset', 0))).toMatch(/^invalid: decision: .*ALLOW_ONCE/)
    expect(await story.refusalOf(decide('unknown', DENY, 'nothing'))).toMatch(/^not_found: /)
    expect(await story.refusalOf(decide('', DENY))).toMatch(/^invalid: idempotency_key: /)
    const first = await decide('first', ALLOW_ONCE)
    expect(first.request?.state).toBe('allowed')
    expect(await decide('first', ALLOW_ONCE)).toMatchObject({ request: { state: 'allowed' } })
    expect(await story.refusalOf(decide('second', DENY))).toMatch(/^refused: .*already allowed/)
    const approved = await approve(runId, requestId, '--once')
    expect(approved.code).toBe(1)
    expect(approved.stderr).toContain('already allowed')
    expect((await approve('r-0-0000000000000000-default', requestId, '--once')).code).toBe(1)
    const [left] = await pendingOf(runId)
    await decide('end', DENY, left?.requestId)
    await story.toEnd(stack, runId)
    expect(await story.refusalOf(decide('late', DENY, left?.requestId))).toMatch(
      /^(refused|not_found): /,
    )
  })

  test('two clients at once: one decision stands, the other is refused, the call runs at most once', async () => {
    const sessionId = await story.openSession(stack, 'race', ask)
    const turns = [{ text: '', toolCalls: [story.shell('s1', 'echo 1')] }, { text: 'done' }]
    const runId = await story.start(stack, sessionId, 'race', { turns })
    const [request] = await pendingOf(runId)
    const requestId = request?.requestId ?? ''
    const decide = (idempotencyKey: string, decision: PermissionDecision) =>
      story.refusalOf(
        story.runsOf(stack).decidePermission({ idempotencyKey, runId, requestId, decision }),
      )
    const answers = await Promise.all([decide('a', ALLOW_ONCE), decide('b', DENY)])
    expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1)
    expect(answers.find((answer) => answer !== 'accepted')).toMatch(/^refused: /)
    const events = await story.toEnd(stack, runId)
    const executions = story.ofType(events, 'execution.completed')
    expect(executions).toHaveLength(answers[0] === 'accepted' ? 1 : 0)
  })

  test('a session that is set to allow everything releases what waits', async () => {
    const sessionId = await story.openSession(stack, 'switched', ask)
    const turns = [{ text: '', toolCalls: [story.shell('s1', 'echo 1')] }, { text: 'done' }]
    const runId = await story.start(stack, sessionId, 'switched', { turns })
    await pendingOf(runId)
    await until(
      'the run shows it',
      async () => (await statusOf(runId)) === RunStatus.RUN_STATUS_BLOCKED,
    )
    const sessions = story.sessionsOf(stack)
    const { session } = await sessions.getSession({ sessionId, projectId: '', minPosition: '' })
    const settings = session?.settings && {
      ...session.settings,
      approvalMode: ApprovalMode.APPROVAL_MODE_ALWAYS_ALLOW,
    }
    await sessions.updateSession({ idempotencyKey: 'on', sessionId, projectId: '', settings })
    const events = await story.toEnd(stack, runId)
    expect(releasesOf(events)).toEqual([expect.objectContaining({ source: 'always_allow' })])
  })
})

async function statusOf(runId: string): Promise<RunStatus | undefined> {
  return (await story.runsOf(stack).getRun({ runId, minPosition: '' })).run?.status
}

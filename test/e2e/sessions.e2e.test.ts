import { RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { InputPolicy } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import { watchRun } from '../harness/run-watcher.js'
import * as story from '../harness/story.js'

const hanging = { turns: [{ hang: true }] }
const answer = (text: string) => ({ turns: [{ text }] })

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())

const page = (pageSize: number, pageToken: string) => ({ pageSize, pageToken, minPosition: '' })

/** Every row of a list, page by page. */
async function allPages<Row>(
  read: (token: string) => Promise<{ readonly rows: readonly Row[]; readonly next: string }>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  let token = ''
  do {
    const found = await read(token)
    rows.push(...found.rows)
    token = found.next
  } while (token !== '')
  return rows
}

async function runsIn(sessionId: string, pageSize = 200) {
  return allPages(async (token) => {
    const request = { projectId: '', sessionId, ...page(pageSize, token) }
    const { runs, nextPageToken } = await story.runsOf(stack).listRuns(request)
    return { rows: runs, next: nextPageToken }
  })
}

describe('two messages to one session at once', () => {
  test('one goes, one waits; both complete, one after the other', async () => {
    const sessionId = await story.openSession(stack, 'at once')
    const turns = (name: string) => [
      { text: '', toolCalls: [story.shell('s1', `echo ${name} >> order.txt; cat order.txt`)] },
      { text: `${name} done` },
    ]
    const script = { turns: [...turns('first'), ...turns('second').map(renamed)] }
    const runIds = await Promise.all(
      ['a', 'b'].map((key) => story.start(stack, sessionId, key, script)),
    )
    expect(new Set(runIds).size).toBe(2)
    const streams = await Promise.all(runIds.map((runId) => story.toEnd(stack, runId)))
    expect(streams.map((events) => events.at(-1)?.type)).toEqual(['run.completed', 'run.completed'])
    const [before = [], after = []] = streams.toSorted(
      (one, other) => turnsBefore(one) - turnsBefore(other),
    )
    expect([turnsBefore(before), turnsBefore(after)]).toEqual([0, 2])
    expect(story.endOf(after, 's1-second')?.data).toMatchObject({
      details: { execution: { stdout: 'first\nsecond\n' } },
    })
    expect(runIds).toContain(String(before[0]?.data.runId))
  })

  test('twenty at once all run, each once', async () => {
    const sessionId = await story.openSession(stack, 'twenty')
    const keys = Array.from({ length: 20 }, (_, at) => `m${at}`)
    const script = { turns: keys.map((_, at) => ({ text: `answer ${at}` })) }
    const runIds = await Promise.all(keys.map((key) => story.start(stack, sessionId, key, script)))
    const streams = await Promise.all(runIds.map((runId) => story.toEnd(stack, runId)))
    expect(streams.map((events) => turnsBefore(events)).toSorted((a, b) => a - b)).toEqual(
      keys.map((_, at) => at),
    )
  })
})

describe('a session asked for under another project', () => {
  test('is not found, is not changed and gets no input', async () => {
    const sessionId = await story.openSession(stack, 'own-project')
    const elsewhere = { sessionId, projectId: 'other' }
    const sessions = story.sessionsOf(stack)
    const asked = [
      sessions.getSession({ ...elsewhere, minPosition: '' }),
      sessions.archiveSession({ ...elsewhere, idempotencyKey: 'k1' }),
      story.runsOf(stack).startRun({
        ...{ ...elsewhere, idempotencyKey: 'k2', message: 'hello', model: '', maxModelTurns: 0 },
        script: Buffer.from(JSON.stringify(answer('hi'))),
      }),
    ]
    for (const answered of asked) expect(await story.refusalOf(answered)).toMatch(/^not_found/)
    const { session } = await sessions.getSession({ sessionId, projectId: '', minPosition: '' })
    expect(session).toMatchObject({ archivedAt: '', activeRunId: '' })
  })
})

function renamed(turn: { readonly toolCalls?: readonly story.ScriptedCall[] }): unknown {
  const calls = turn.toolCalls?.map((asked) => ({ ...asked, id: `${asked.id}-second` }))
  return calls ? { ...turn, toolCalls: calls } : turn
}

function turnsBefore(events: readonly { readonly data: Readonly<Record<string, unknown>> }[]) {
  return Number(events[0]?.data.turnsBefore)
}

describe('a message while a run goes on', () => {
  test('is refused by a session that rejects, with the remedy; taken again after the end', async () => {
    const inputPolicy = InputPolicy.INPUT_POLICY_REJECT
    const sessionId = await story.openSession(stack, 'rejecting', { inputPolicy })
    const runId = await story.start(stack, sessionId, 'rejecting 1', hanging)
    const second = story.start(stack, sessionId, 'rejecting 2', answer('never'))
    expect(await story.refusalOf(second)).toMatch(/^refused: .*input_policy/)
    await using watcher = watchRun(stack.channel, runId)
    await watcher.waitForType('model.turn.requested')
    await story.runsOf(stack).stopRun({ idempotencyKey: 'stop', runId, reason: '' })
    await watcher.waitForEnd()
    await until('the session is idle', async () => (await activeRun(sessionId)) === '')
    const third = await story.start(stack, sessionId, 'rejecting 3', answer('third'))
    expect((await story.toEnd(stack, third)).at(-1)?.type).toBe('run.completed')
    await until('both are listed', async () => (await runsIn(sessionId)).length === 2)
  })

  test('interrupts: the run that goes on is cancelled first, then the new one runs', async () => {
    const inputPolicy = InputPolicy.INPUT_POLICY_INTERRUPT
    const sessionId = await story.openSession(stack, 'interrupting', { inputPolicy })
    const first = await story.start(stack, sessionId, 'interrupting 1', hanging)
    await using watcher = watchRun(stack.channel, first)
    await watcher.waitForType('model.turn.requested')
    const second = await story.start(stack, sessionId, 'interrupting 2', answer('instead'))
    expect(await watcher.waitForEnd()).toMatchObject({ type: 'run.cancelled' })
    expect((await story.toEnd(stack, second)).at(-1)?.type).toBe('run.completed')
  })

  test('SendMessage is a further run of the same session', async () => {
    const sessionId = await story.openSession(stack, 'sending')
    const script = { turns: [{ text: 'one' }, { text: 'two' }] }
    const first = await story.start(stack, sessionId, 'sending', script)
    await story.toEnd(stack, first)
    const send = { idempotencyKey: 'more', runId: first, message: 'and now?' }
    const { runId } = await story.runsOf(stack).sendMessage(send)
    const again = await story.runsOf(stack).sendMessage(send)
    expect(again.runId).toBe(runId)
    const events = await story.toEnd(stack, runId)
    expect(events[0]?.data).toMatchObject({ sessionId, turnsBefore: 1 })
  })
})

async function activeRun(sessionId: string): Promise<string | undefined> {
  const request = { sessionId, projectId: '', minPosition: '' }
  return (await story.sessionsOf(stack).getSession(request)).session?.activeRunId
}

describe('ids that repeat', () => {
  test('the same tool-call id in two runs of two sessions, at once: each gets its own result', async () => {
    const script = (name: string) => ({
      turns: [{ text: '', toolCalls: [story.shell('same', `echo ${name}`)] }, { text: 'done' }],
    })
    const names = ['one', 'two']
    const streams = await Promise.all(
      names.map(async (name) => {
        const sessionId = await story.openSession(stack, `same ${name}`)
        return story.toEnd(stack, await story.start(stack, sessionId, 'same', script(name)))
      }),
    )
    for (const [at, events] of streams.entries()) {
      expect(story.endOf(events, 'same')?.data).toMatchObject({
        details: { execution: { stdout: `${names[at] ?? ''}\n` } },
      })
    }
  })

  test('the same tool-call id in two runs of one session is two effects', async () => {
    const sessionId = await story.openSession(stack, 'same in one')
    const turn = (text: string) => ({ text: '', toolCalls: [story.shell('same', text)] })
    const first = { turns: [turn('echo 1 >> n.txt; cat n.txt'), { text: 'done' }] }
    const skipped = [{ text: '' }, { text: '' }]
    const second = { turns: [...skipped, turn('echo 2 >> n.txt; cat n.txt'), { text: 'done' }] }
    await story.toEnd(stack, await story.start(stack, sessionId, 'same 1', first))
    const events = await story.toEnd(stack, await story.start(stack, sessionId, 'same 2', second))
    expect(story.endOf(events, 'same')?.data).toMatchObject({
      details: { execution: { stdout: '1\n2\n' } },
    })
  })

  test('the same idempotency key: one session per project, one run per session, asked twice or at once', async () => {
    const [one, two, again] = await Promise.all([
      story.openSession(stack, 'key', {}, 'project-one'),
      story.openSession(stack, 'key', {}, 'project-two'),
      story.openSession(stack, 'key', {}, 'project-one'),
    ])
    expect(one).not.toBe(two)
    expect(one).toBe(again)
    const runIds = await Promise.all(
      [one, two, one, two].map((sessionId) => story.start(stack, sessionId, 'key', answer('ok'))),
    )
    expect(new Set(runIds).size).toBe(2)
    await Promise.all(runIds.map((runId) => story.toEnd(stack, runId)))
    expect(await story.start(stack, one, 'key', answer('ok'))).toBe(runIds[0])
    await until('both are listed', async () => (await runsIn(two)).length === 1)
    expect(await runsIn(one)).toHaveLength(1)
  })
})

describe('a conversation', () => {
  test('goes on after a run that failed: its calls can be referred to and its turns count', async () => {
    const sessionId = await story.openSession(stack, 'after failure')
    const asked = { text: '', toolCalls: [story.shell('s1', 'echo kept')] }
    const failed = await story.start(stack, sessionId, 'failing', { turns: [asked] })
    expect((await story.toEnd(stack, failed)).at(-1)).toMatchObject({
      type: 'run.failed',
      data: { reason: 'script_exhausted' },
    })
    const look = story.call('q1', 'execution_status', {
      execution_id: '{{s1.details.execution.id}}',
    })
    const turns = [asked, { text: '', toolCalls: [look] }, { text: 'done' }]
    const events = await story.toEnd(
      stack,
      await story.start(stack, sessionId, 'going on', { turns }),
    )
    expect(events.at(-1)?.type).toBe('run.completed')
    expect(story.endOf(events, 'q1')?.data).toMatchObject({
      isError: false,
      details: { execution: { exitCode: 0, stdout: 'kept\n' } },
    })
  })
})

describe('a session', () => {
  test('is updated and archived; archived it is readable and takes no run', async () => {
    const sessions = story.sessionsOf(stack)
    const sessionId = await story.openSession(stack, 'archived', {}, 'archive')
    const { session } = await sessions.getSession({ sessionId, projectId: '', minPosition: '' })
    const settings = session?.settings && { ...session.settings, title: 'renamed' }
    const change = { idempotencyKey: 'rename', sessionId, projectId: '', settings }
    const updated = await sessions.updateSession(change)
    expect(updated.session?.settings?.title).toBe('renamed')
    const first = await story.start(stack, sessionId, 'before', answer('ok'))
    await story.toEnd(stack, first)
    await until('it is idle', async () => (await activeRun(sessionId)) === '')
    const order = { idempotencyKey: 'archive', sessionId, projectId: '' }
    const archived = await sessions.archiveSession(order)
    expect(archived.session?.archivedAt).not.toBe('')
    expect((await sessions.archiveSession(order)).session).toEqual(archived.session)
    const late = story.start(stack, sessionId, 'late', answer('never'))
    expect(await story.refusalOf(late)).toMatch(/^refused: .*archived.* · create a new session/)
    const renamed = sessions.updateSession({ ...change, idempotencyKey: 'rename 2' })
    expect(await story.refusalOf(renamed)).toMatch(/^refused: /)
    const listed = await sessions.listSessions({
      projectId: 'archive',
      ...page(50, ''),
      minPosition: archived.position,
    })
    expect(listed.sessions).toMatchObject([{ sessionId, settings: { title: 'renamed' } }])
    expect((await stack.scid('watch', first, '--json')).code).toBe(0)
  })
})

describe('pages', () => {
  test('of runs, sessions and a transcript hold every row once, whatever their size', async () => {
    const projectId = 'paged'
    const sessions = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6].map((n) => story.openSession(stack, `paged ${n}`, {}, projectId)),
    )
    const [sessionId = ''] = sessions
    const keys = [0, 1, 2, 3, 4, 5, 6].map((n) => `paged run ${n}`)
    const script = { turns: keys.map((key) => ({ text: `answer to ${key}` })) }
    const runIds: string[] = []
    for (const key of keys) runIds.push(await story.start(stack, sessionId, key, script))
    await Promise.all(runIds.map((runId) => story.toEnd(stack, runId)))
    await until('all are listed', async () => {
      const runs = await runsIn(sessionId)
      return runs.filter((run) => run.status === RunStatus.RUN_STATUS_COMPLETED).length === 7
    })
    const transcript = (pageSize: number) =>
      allPages(async (token) => {
        const request = { sessionId, runId: '', ...page(pageSize, token) }
        const { entries, nextPageToken } = await story.runsOf(stack).getTranscript(request)
        return { rows: entries, next: nextPageToken }
      })
    await until('the transcript is whole', async () => (await transcript(200)).length === 14)
    for (const pageSize of [1, 2, 3, 7, 14, 200]) {
      const runs = await runsIn(sessionId, pageSize)
      expect(runs.map(({ runId }) => runId)).toEqual(runIds.toReversed())
      const listed = await allPages(async (token) => {
        const request = { projectId, ...page(pageSize, token) }
        const found = await story.sessionsOf(stack).listSessions(request)
        return { rows: found.sessions, next: found.nextPageToken }
      })
      expect(listed.map((one) => one.sessionId).toSorted()).toEqual(sessions.toSorted())
      const entries = await transcript(pageSize)
      expect(entries.map(({ role, text }) => `${role}: ${text}`)).toEqual(
        keys.flatMap((key) => [`user: ${key}`, `assistant: answer to ${key}`]),
      )
    }
  })
})

import { isPlatformError } from '@sciencediscovery/kernel'
import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ProjectServiceService } from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { SessionSettings } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { rpcClient } from '@sciencediscovery/service-kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import * as story from '../harness/story.js'

const unknownRun = 'r-0-0000000000000000-default'
const unknownSession = 's-0000000000000000-default'
const sql = `'; DROP TABLE runs; --`
/** Ids of every shape that names nothing. */
const strangers: readonly string[] = [
  ...['', ' ', 'x', unknownRun, 'r-999-0000000000000000-default', unknownSession],
  ...[`${unknownRun}${sql}`, '../../etc/passwd', `${unknownRun}\u0000`, 'r-0-0000000000000000-a.b'],
  ...['__proto__', 'constructor', '*', '>', 'runs.>', '\ud800', '\u202e', '结果'],
  ...['r-0-0000000000000000-*', 'r-0-0000000000000000->', `${unknownRun}\n`, 'a'.repeat(100_000)],
]

let stack: TestStack
let sessionId: string
let runId: string
beforeAll(async () => {
  stack = await startTestStack()
  sessionId = await story.openSession(stack, 'good')
  runId = await story.start(stack, sessionId, 'good', { turns: [{ text: 'fine' }] })
  await story.toEnd(stack, runId)
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())
// Whatever was sent: the process lives and answers a good request.
afterEach(async () => {
  const { run } = await story.runsOf(stack).getRun({ runId, minPosition: '' })
  expect(run?.runId).toBe(runId)
})

const runs = () => story.runsOf(stack)
const sessions = () => story.sessionsOf(stack)
const projects = () => rpcClient(ProjectServiceService, stack.channel)
const artifacts = () => rpcClient(ArtifactServiceService, stack.channel)
const provenance = () => rpcClient(ProvenanceServiceService, stack.channel)

async function first(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of stream) return
}

const nothing = { pageSize: 0, pageToken: '', minPosition: '' }
const key = { idempotencyKey: 'key' }

describe('an id that names nothing', () => {
  const asks: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    GetRun: (id) => runs().getRun({ runId: id, minPosition: '' }),
    GetPlan: (id) => runs().getPlan({ runId: id, minPosition: '' }),
    StopRun: (id) => runs().stopRun({ ...key, runId: id, reason: '' }),
    SendMessage: (id) => runs().sendMessage({ ...key, runId: id, message: 'hello' }),
    ListPermissions: (id) => runs().listPermissions({ runId: id, pendingOnly: false }),
    DecidePermission: (id) =>
      runs().decidePermission({ ...key, runId: id, requestId: 'p', decision: 1 }),
    GetSession: (id) => sessions().getSession({ sessionId: id, projectId: '', minPosition: '' }),
    UpdateSession: (id) =>
      sessions().updateSession({ ...key, sessionId: id, projectId: '', settings: undefined }),
    ArchiveSession: (id) => sessions().archiveSession({ ...key, sessionId: id, projectId: '' }),
    StartRun: (id) =>
      runs().startRun({
        ...{ ...key, sessionId: id, projectId: '', message: 'go', model: '', maxModelTurns: 0 },
        script: Buffer.from('{"turns":[]}'),
      }),
    DecideRequest: (id) => runs().decidePermission({ ...key, runId, requestId: id, decision: 1 }),
  }
  for (const [rpc, ask] of Object.entries(asks)) {
    test(`is not found, or named as invalid, by ${rpc}`, async () => {
      for (const id of strangers) {
        const answer = await story.refusalOf(ask(id))
        expect(answer, JSON.stringify(id.slice(0, 60))).toMatch(/^(not_found|invalid): /)
        expect(answer.length).toBeLessThan(6_000)
      }
    }, 120_000)
  }

  test('is not found by WatchRun, malformed ones at once', async () => {
    const watch = (id: string) =>
      story.refusalOf(first(runs().watchRun({ runId: id, afterPosition: 0n, includeLive: true })))
    const answers = await Promise.all(strangers.map(watch))
    for (const answer of answers) expect(answer).toMatch(/^(not_found|invalid): /)
  })

  test('as a project, a filter or a name finds nothing or is named as invalid', async () => {
    const asked = strangers
      .filter((id) => id !== '')
      .flatMap((id) => [
        runs().listRuns({ projectId: id, sessionId: '', ...nothing }),
        runs().listRuns({ projectId: '', sessionId: id, ...nothing }),
        runs().getTranscript({ sessionId: id, runId: '', ...nothing }),
        runs().getTranscript({ sessionId: '', runId: id, ...nothing }),
        sessions().listSessions({ projectId: id, ...nothing }),
        projects().getProject({ projectId: id, minPosition: '' }),
        artifacts().listArtifacts({ projectId: id, ...nothing }),
        artifacts().readArtifact({
          ...{ projectId: 'default', artifactId: '', name: id, version: 0, offset: 1n, limit: 0 },
          ...{ charOffset: 0n, minPosition: '' },
        }),
        provenance().getFileProvenance({
          ...{ projectId: 'default', sessionId: id, agentId: '', pathOrArtifact: id, version: 0 },
          minPosition: '',
        }),
      ])
    for (const [at, answer] of (await Promise.all(asked.map(story.refusalOf))).entries())
      expect(answer, `${at}`).toMatch(/^(accepted|not_found: |invalid: )/)
    const { runs: all } = await runs().listRuns({ projectId: '', sessionId: '', ...nothing })
    expect(all).toHaveLength(1)
  })
})

describe('a page that does not exist', () => {
  const packed = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url')
  const badTokens: readonly string[] = [
    ...['garbage', '!!!', '\u0000', sql, 'null', 'a'.repeat(100_000)],
    ...[[], {}, null, 5, [{}], [7], ['\u0000', '\u0000'], [1, 2, 3, 4, 5], [[1], [2]]].map(packed),
    ...[Buffer.from('['.repeat(100_000)).toString('base64url'), packed({ __proto__: null })],
  ]
  const lists = {
    ListRuns: (page: typeof nothing) => runs().listRuns({ projectId: '', sessionId: '', ...page }),
    ListSessions: (page: typeof nothing) => sessions().listSessions({ projectId: '', ...page }),
    GetTranscript: (page: typeof nothing) =>
      runs().getTranscript({ sessionId, runId: '', ...page }),
    ListProjects: (page: typeof nothing) => projects().listProjects(page),
    ListArtifacts: (page: typeof nothing) =>
      artifacts().listArtifacts({ projectId: 'default', ...page }),
  }
  for (const [rpc, list] of Object.entries(lists)) {
    test(`is invalid for ${rpc}, with page_token and what to send`, async () => {
      for (const pageToken of badTokens) {
        const answer = await story.refusalOf(list({ ...nothing, pageToken }))
        expect(answer, pageToken.slice(0, 60)).toMatch(/^invalid: page_token: .* · \w/)
      }
    })

    test(`of a size out of range is invalid for ${rpc}`, async () => {
      for (const pageSize of [-1, 201, 2_147_483_647, -2_147_483_648]) {
        const answer = await story.refusalOf(list({ ...nothing, pageSize }))
        expect(answer).toMatch(/^invalid: page_size: .* · send 1 to 200/)
      }
    })

    test(`of a min_position that is none is invalid for ${rpc}`, async () => {
      const positions = ['x', sql, packed([1]), Buffer.from('1.RUNS_0.-1').toString('base64url')]
      for (const minPosition of positions) {
        const answer = await story.refusalOf(list({ ...nothing, minPosition }))
        expect(answer, minPosition).toMatch(/^invalid: min_position: .* · \w/)
      }
    })
  }

  test('of a position that never came is unavailable after a bounded wait; GetRun and GetPlan check theirs too', async () => {
    const { position } = await runs().stopRun({ idempotencyKey: 'p', runId, reason: '' })
    const [, stream = ''] = Buffer.from(position, 'base64url').toString().split('.')
    const far = Buffer.from(`1.${stream}.900000000`).toString('base64url')
    const listed = runs().listRuns({ projectId: '', sessionId: '', ...nothing, minPosition: far })
    expect(await story.refusalOf(listed)).toMatch(/^unavailable: /)
    const bad = { runId, minPosition: 'x' }
    expect(await story.refusalOf(runs().getRun(bad))).toMatch(/^invalid: min_position: /)
    expect(await story.refusalOf(runs().getPlan(bad))).toMatch(/^invalid: min_position: /)
  })

  test('of events before the first or after the end is invalid and says where to start', async () => {
    const after = (afterPosition: bigint) =>
      story.refusalOf(first(runs().watchRun({ runId, afterPosition, includeLive: false })))
    expect(await after(-1n)).toMatch(/^invalid: after_position: .* · send 0/)
    expect(await after(-(2n ** 63n))).toMatch(/^invalid: after_position: /)
    expect(await after(9_999n)).toMatch(/^invalid: after_position: .* · start over from 0/)
    expect(await after(2n ** 63n - 1n)).toMatch(/^invalid: after_position: .* · start over/)
  })
})

describe('a mutation that cannot be', () => {
  const start = (given: Partial<Parameters<ReturnType<typeof runs>['startRun']>[0]>) =>
    story.refusalOf(
      runs().startRun({
        ...{ idempotencyKey: 'k', sessionId, projectId: '', message: 'go', model: '' },
        ...{ maxModelTurns: 0, script: Buffer.from('{"turns":[{"text":"ok"}]}'), ...given },
      }),
    )
  const open = (settings: Partial<SessionSettings>, projectId = 'default', idempotencyKey = 'k') =>
    story.refusalOf(
      sessions().createSession({
        ...{ idempotencyKey, projectId },
        settings: SessionSettings.create(settings),
      }),
    )

  test.each([
    [{ idempotencyKey: '' }, /^invalid: idempotency_key: .* · send a value/],
    [{ idempotencyKey: 'k'.repeat(201) }, /^invalid: idempotency_key: .* · send a shorter/],
    [{ message: '' }, /^invalid: message: .* · send some text/],
    [{ message: ' \n\t' }, /^invalid: message: /],
    [
      { message: 'm'.repeat(2 * 1024 * 1024) },
      /^invalid: message: .*1048576 · upload it as a file/,
    ],
    [{ message: '读'.repeat(349_526) }, /^invalid: message: has 1048578 bytes/],
    [{ maxModelTurns: -1 }, /^invalid: max_model_turns: .* · send 0/],
    [{ script: Buffer.alloc(8 * 1024 * 1024 + 1) }, /^invalid: script: .*8 MiB · /],
    [{ script: Buffer.alloc(17 * 1024 * 1024) }, /^(exhausted|invalid): .*16777216|16 MiB/],
    [{ model: 'nobody:x', script: Buffer.alloc(0) }, /^invalid: model: .* · /],
    [{ model: sql, script: Buffer.alloc(0) }, /^invalid: model: .* · /],
  ])('case %# is invalid and names field and remedy of a run', async (given, expected) => {
    expect(await start(given)).toMatch(expected)
  })

  const odd: readonly (readonly [Partial<SessionSettings>, RegExp])[] = [
    [{ title: 't'.repeat(201) }, /^invalid: settings.title: .* · /],
    [{ profile: 'nobody' }, /^invalid: settings.profile: .* · send science/],
    [{ profile: '__proto__' }, /^invalid: settings.profile: /],
    [{ runnerId: 'A;B' }, /^invalid: settings.runner_id: .* · /],
    [{ approvalMode: unknownEnum() }, /^invalid: settings.approval_mode: .* · /],
    [{ inputPolicy: unknownEnum() }, /^invalid: settings.input_policy: .* · /],
    [{ toolPolicy: { allow: Array<string>(100_000).fill('tool'), deny: [] } }, /^invalid: .* · /],
    [{ skills: ['s'.repeat(1_000_000)] }, /^invalid: .* · /],
  ]
  test.each(odd)(
    'case %# is invalid and names field and remedy of a session',
    async (settings, expected) => {
      expect(await open(settings)).toMatch(expected)
    },
  )

  test('is invalid and names field and remedy: a project that no id can be', async () => {
    for (const id of ['a b', '../x', '\u0000', 'a'.repeat(65), `a${sql}`, 'a.b', '*', '>', 'é']) {
      expect(await open({}, id), id).toMatch(/^invalid: project_id: .* · send letters/)
      const created = projects().createProject({ ...key, projectId: id, title: '' })
      expect(await story.refusalOf(created), id).toMatch(/^invalid: project_id: .* · send letters/)
    }
  })

  test('works when it is only odd: projects and keys with the names of JavaScript', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const odd = await story.openSession(stack, name, {}, name)
      const id = await story.start(stack, odd, name, { turns: [{ text: name }], message: name })
      expect((await story.toEnd(stack, id)).at(-1)?.type).toBe('run.completed')
      expect(
        (await projects().getProject({ projectId: name, minPosition: '' })).project,
      ).toMatchObject({
        projectId: name,
      })
    }
    expect(Reflect.get({}, 'turns')).toBeUndefined()
  })

  test('works when it is only odd: a message of 1 MiB, of NUL and control characters, of half characters', async () => {
    const messages = ['m'.repeat(1024 * 1024), 'a\u0000b\u0007\u001b[31m', '\ud800 half', sql]
    for (const [at, message] of messages.entries()) {
      const odd = await story.openSession(stack, `odd message ${at}`)
      const id = await story.start(stack, odd, `odd ${at}`, { turns: [{ text: message }], message })
      const events = await story.toEnd(stack, id)
      expect(events.at(-1)?.type).toBe('run.completed')
      const [said] = story.ofType(events, 'message.added')
      expect(said?.data.text).toBe(message.replaceAll('\ud800', '\ufffd'))
      const transcript = { sessionId: odd, runId: '', ...nothing }
      const position = (await runs().stopRun({ ...key, runId: id, reason: '' })).position
      const { entries } = await runs().getTranscript({ ...transcript, minPosition: position })
      expect(entries.map(({ role }) => role)).toEqual(['user', 'assistant'])
    }
  })

  test('fails its run with the place: a script that is none', async () => {
    const scripts = [
      '{',
      'null',
      '[]',
      '{"turns":5}',
      '{"turns":[{"txt":"a"}]}',
      '\u0000',
      '['.repeat(100_000),
    ]
    for (const [at, script] of scripts.entries()) {
      const odd = await story.openSession(stack, `no script ${at}`)
      const order = { idempotencyKey: 'k', sessionId: odd, projectId: '', message: 'go', model: '' }
      const started = runs().startRun({ ...order, maxModelTurns: 0, script: Buffer.from(script) })
      try {
        const events = await story.toEnd(stack, (await started).runId)
        expect(events.at(-1)?.type, script.slice(0, 30)).toBe('run.failed')
      } catch (error) {
        if (!isPlatformError(error)) throw error
        expect(error.code).toBe('invalid')
      }
    }
  })
})

/** What a newer client might send: the wire knows no bounds of an enum. */
function unknownEnum(): never {
  return JSON.parse('99') as never
}

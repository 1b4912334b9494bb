import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import {
  type Aggregates,
  createAggregates,
  createEmbeddedStore,
} from '@sciencediscovery/event-store'
import { type RunEvent, parseRunEvent, runIdOf, runSubject } from '@sciencediscovery/run-events'
import { createLifecycle, createLogger } from '@sciencediscovery/service-kit'
import { collect, until } from '@sciencediscovery/testing'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBlobTexts } from './adapters/blob-texts.js'
import { createModelDirectory } from './adapters/model-directory.js'
import { projectType, runType, sessionType } from './aggregate-types.js'
import { loadAgentConfig } from './config.js'
import { type Context } from './context.js'
import { type RunCommand } from './domain/run/commands.js'
import { type RunState } from './domain/run/state.js'
import { header as exampleHeader } from './domain/run/run-fixture.js'
import { type SessionSettings } from './domain/session/events.js'
import { startReactors } from './reactors/start-reactors.js'
import { type ToolClient } from './tool-client.js'

const projectId = 'p1'
const sessionId = `s-0123456789abcdef-${projectId}`
const runId = runIdOf(0, '0123456789abcdef', projectId)
const now = '2026-01-01T00:00:00.000Z'
const settings: SessionSettings = {
  ...{ title: '', profile: 'science', model: '', approvalMode: 'always_allow' },
  ...{ inputPolicy: 'enqueue', toolPolicy: { allow: [], deny: [] }, skills: [], sources: [] },
  ...{ environmentId: '', runnerId: 'local' },
}
const script = JSON.stringify({
  turns: [{ text: '', toolCalls: [{ id: 'c1', name: 'tool', arguments: {} }] }, { text: 'Done.' }],
})

/** A gateway with one tool that needs permission, as the reactors see it; it counts the effects. */
function oneTool(replay: 'keyed' | 'unknown-on-crash'): { tools: ToolClient; asked: () => number } {
  const state = { asked: 0 }
  return {
    asked: () => state.asked,
    tools: {
      list: () =>
        Promise.resolve([
          {
            ...{ name: 'tool', description: '', parameters: {}, concurrency: 'exclusive', replay },
            ...{ observation: false, deadlineMs: 10_000 },
          },
        ]),
      invoke: ({ authorization }) => {
        const need = { action: 'code', resource: 'workspace-code', summary: 'call the tool' }
        if (!authorization) return Promise.resolve({ ...need, kind: 'permission' })
        state.asked += 1
        const result = { text: 'ok', isError: false, details: {}, effects: [] }
        return Promise.resolve({ ...result, kind: 'result' })
      },
      cancel: () => Promise.resolve(),
    },
  }
}

/** Runs whose commands of a kind fail every time, for a fault of ours. */
function poisoned(
  runs: Aggregates<RunState, RunCommand>,
  isPoison: (command: RunCommand) => boolean,
): Aggregates<RunState, RunCommand> {
  return {
    ...runs,
    handle: (subject, command, meta) =>
      isPoison(command)
        ? Promise.reject(new TypeError('planted'))
        : runs.handle(subject, command, meta),
  }
}

const lifecycle = { current: createLifecycle() }
afterEach(async () => {
  await lifecycle.current[Symbol.asyncDispose]()
  lifecycle.current = createLifecycle()
})

interface Plan {
  readonly tools: ToolClient
  readonly isPoison: (command: RunCommand) => boolean
}

async function startReplica({ tools, isPoison }: Plan) {
  const { current } = lifecycle
  const directory = await mkdtemp(join(tmpdir(), 'scid-poison-'))
  current.defer(() => rm(directory, { recursive: true, force: true }))
  const { store, signals } = current.use(await createEmbeddedStore()).attach()
  const texts = createBlobTexts(await createDirectoryBlobStore({ directory }))
  const options = { store, clock: Date.now, writer: 'here' }
  const ctx: Context = {
    runs: poisoned(createAggregates(runType, options), isPoison),
    sessions: createAggregates(sessionType, options),
    projects: createAggregates(projectType, options),
    ...{ store, signals, texts, tools },
    models: createModelDirectory(loadAgentConfig({}), texts),
    here: {
      replicaId: 'here',
      clock: Date.now,
      logger: createLogger('test', { level: 'silent' }),
    },
  }
  const nothing = { openRuns: () => Promise.resolve([]), activeSessions: () => Promise.resolve([]) }
  const reactors = current.use(await startReactors(ctx, nothing))
  const model = `scripted:${await texts.storeBytes(Buffer.from(script))}`
  return { ctx, reactors, model, store }
}

type Replica = Awaited<ReturnType<typeof startReplica>>
const by = { writer: 'here', now }

async function submit({ reactors, model }: Replica): Promise<void> {
  const meta = (commandId: string) => ({ commandId, causationId: 'test', correlationId: runId })
  const create = { type: 'CreateSession', sessionId, projectId, settings, ...by } as const
  await reactors.sessions.handle(sessionId, create, meta('create'))
  const run = {
    ...{ runId, trigger: { kind: 'message' as const, id: 'm' }, message: 'go', goal: 'go', model },
    limits: exampleHeader.limits,
  } as const
  await reactors.sessions.handle(sessionId, { type: 'SubmitInput', run, ...by }, meta('submit'))
}

async function eventsOf({ store }: Replica): Promise<readonly RunEvent[]> {
  const last = await store.last(runSubject(runId))
  const range = { upToSequence: last?.sequence ?? 0 }
  const commits = await collect(store.read(runSubject(runId), range))
  return commits.flatMap(({ commit }) => commit.events.map(parseRunEvent))
}

async function untilEnded(replica: Replica): Promise<readonly RunEvent[]> {
  const ends = ['run.completed', 'run.failed', 'run.cancelled']
  await until(
    'the run ends',
    async () => (await eventsOf(replica)).some(({ type }) => ends.includes(type)),
    90_000,
  )
  return eventsOf(replica)
}

describe('poison ends in the run', () => {
  test('a model turn that cannot be recorded: the run has failed, the model was asked once', async () => {
    const { tools } = oneTool('keyed')
    const replica = await startReplica({
      tools,
      isPoison: ({ type }) => type === 'RecordModelTurn',
    })
    await submit(replica)
    const events = await untilEnded(replica)
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', data: { reason: 'gave_up' } })
    expect(events.filter(({ type }) => type === 'model.turn.requested')).toHaveLength(1)
  })

  test('a result that cannot be recorded: the call is given up, the run goes on', async () => {
    const { tools, asked } = oneTool('keyed')
    const replica = await startReplica({ tools, isPoison: ({ type }) => type === 'CompleteCall' })
    await submit(replica)
    const events = await untilEnded(replica)
    expect(events.find(({ type }) => type === 'tool.call.failed')).toMatchObject({
      data: { callId: 'c1', reason: 'gave_up' },
    })
    expect(events.at(-1)).toMatchObject({ type: 'run.completed' })
    expect(asked()).toBe(1)
  })

  test.each([
    ['keyed', 3],
    ['unknown-on-crash', 1],
  ] as const)(
    'a call whose release cannot be recorded is given up; with replay %s it is made %d times',
    async (replay, times) => {
      const { tools, asked } = oneTool(replay)
      const replica = await startReplica({ tools, isPoison: ({ type }) => type === 'ReleaseCall' })
      await submit(replica)
      const events = await untilEnded(replica)
      expect(events.find(({ type }) => type === 'tool.call.failed')).toMatchObject({
        data: { callId: 'c1', reason: 'gave_up' },
      })
      expect(events.at(-1)).toMatchObject({ type: 'run.completed' })
      expect(asked()).toBe(times)
    },
  )

  test('a commit of a replica that is gone, whose take-over fails every time: the run has failed', async () => {
    const { tools, asked } = oneTool('keyed')
    const replica = await startReplica({ tools, isPoison: ({ type }) => type === 'TakeOver' })
    const gone = createAggregates(runType, {
      ...{ store: replica.store, clock: Date.now, writer: 'gone' },
    })
    const header = { ...exampleHeader, runId, sessionId, projectId, model: replica.model }
    const start = { type: 'StartRun', header, message: 'go', writer: 'gone', now } as const
    const meta = { commandId: 'start', causationId: 'test', correlationId: runId }
    await gone.handle(runSubject(runId), start, meta)
    const events = await untilEnded(replica)
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', data: { reason: 'gave_up' } })
    expect(asked()).toBe(0)
  }, 120_000)
})

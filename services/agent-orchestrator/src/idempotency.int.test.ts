import { ProjectRole } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { PermissionDecision } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type SessionSettings } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OrchestratorFixture, startOrchestrator } from './testing/orchestrator-fixture.js'
import { guardedScript, scriptOf, settingsOf } from './testing/requests.js'

let place: OrchestratorFixture
beforeAll(async () => {
  place = await startOrchestrator()
}, 60_000)
afterAll(async () => {
  await place[Symbol.asyncDispose]()
})

const projectId = 'p1'
const session = (idempotencyKey: string, settings: SessionSettings) =>
  place.sessions.createSession({ idempotencyKey, projectId, settings })

async function sessionIdFor(test: string): Promise<string> {
  return (await session(`session of ${test}`, settingsOf(test))).session?.sessionId ?? ''
}

const start = (idempotencyKey: string, sessionId: string, message: string, script: Buffer) =>
  place.runs.startRun({
    ...{ idempotencyKey, sessionId, projectId, message, model: '', maxModelTurns: 0, script },
  })

async function blockedRun(test: string): Promise<{ runId: string; requestId: string }> {
  const { runId } = await start(`run of ${test}`, await sessionIdFor(test), 'go', guardedScript)
  const pending: string[] = []
  await until('a call waits for a decision', async () => {
    const { requests } = await place.runs
      .listPermissions({ runId, pendingOnly: true })
      .catch(() => ({ requests: [] }))
    pending.push(...requests.map(({ requestId }) => requestId))
    return pending.length > 0
  })
  return { runId, requestId: pending[0] ?? '' }
}

interface Row {
  readonly rpc: string
  /** Prepares, and gives the call: `first` or another request under the same key. */
  readonly prepare: () => Promise<(which: 'first' | 'other') => Promise<unknown>>
  /** What of the answer stays, whatever happens later. */
  readonly lasting: readonly string[]
}

const pick = (which: 'first' | 'other', first: string, other: string): string =>
  which === 'first' ? first : other

const rows: readonly Row[] = [
  {
    rpc: 'CreateProject',
    lasting: ['project', 'position'],
    prepare: () =>
      Promise.resolve((which) =>
        place.projects.createProject({
          ...{ idempotencyKey: 'k', projectId: 'made' },
          title: pick(which, 'One', 'Two'),
        }),
      ),
  },
  {
    rpc: 'UpdateProject',
    lasting: ['project', 'position'],
    prepare: async () => {
      await place.projects.createProject({ idempotencyKey: 'u', projectId: 'kept', title: 'T' })
      return (which) =>
        place.projects.updateProject({
          ...{ idempotencyKey: 'k', projectId: 'kept' },
          title: pick(which, 'One', 'Two'),
        })
    },
  },
  {
    rpc: 'AddMember',
    lasting: ['member', 'position'],
    prepare: async () => {
      await place.projects.createProject({ idempotencyKey: 'a', projectId: 'added', title: 'T' })
      return (which) =>
        place.projects.addMember({
          ...{ idempotencyKey: 'k', projectId: 'added', role: ProjectRole.PROJECT_ROLE_MEMBER },
          principalId: pick(which, 'one', 'two'),
        })
    },
  },
  {
    rpc: 'SetMemberRole',
    lasting: ['member', 'position'],
    prepare: async () => {
      const member = { projectId: 'roles', principalId: 'one' }
      const role = ProjectRole.PROJECT_ROLE_MEMBER
      await place.projects.createProject({ idempotencyKey: 'r', projectId: 'roles', title: 'T' })
      await place.projects.addMember({ idempotencyKey: 'r', ...member, role })
      return (which) =>
        place.projects.setMemberRole({
          ...{ idempotencyKey: 'k', ...member },
          role: which === 'first' ? ProjectRole.PROJECT_ROLE_ADMIN : role,
        })
    },
  },
  {
    rpc: 'RemoveMember',
    lasting: ['position'],
    prepare: async () => {
      const projectId = 'left'
      await place.projects.createProject({ idempotencyKey: 'l', projectId, title: 'T' })
      for (const principalId of ['one', 'two']) {
        const role = ProjectRole.PROJECT_ROLE_MEMBER
        await place.projects.addMember({
          idempotencyKey: principalId,
          projectId,
          principalId,
          role,
        })
      }
      return (which) =>
        place.projects.removeMember({
          ...{ idempotencyKey: 'k', projectId },
          principalId: pick(which, 'one', 'two'),
        })
    },
  },
  {
    rpc: 'CreateSession',
    lasting: ['session', 'position'],
    prepare: () => Promise.resolve((which) => session('k', settingsOf(pick(which, 'One', 'Two')))),
  },
  {
    rpc: 'UpdateSession',
    lasting: ['session', 'position'],
    prepare: async () => {
      const sessionId = await sessionIdFor('UpdateSession')
      return (which) =>
        place.sessions.updateSession({
          ...{ idempotencyKey: 'k', sessionId, projectId },
          settings: settingsOf(pick(which, 'One', 'Two')),
        })
    },
  },
  {
    rpc: 'ArchiveSession',
    lasting: ['session', 'position'],
    prepare: async () => {
      const sessionId = await sessionIdFor('ArchiveSession')
      return (which) =>
        place.sessions.archiveSession({
          ...{ idempotencyKey: 'k', sessionId, projectId: pick(which, projectId, '') },
        })
    },
  },
  {
    rpc: 'StartRun',
    lasting: ['runId', 'position'],
    prepare: async () => {
      const sessionId = await sessionIdFor('StartRun')
      return (which) => start('k', sessionId, pick(which, 'one', 'two'), scriptOf({ text: 'Hi.' }))
    },
  },
  {
    rpc: 'SendMessage',
    lasting: ['runId', 'position'],
    prepare: async () => {
      const { runId } = await blockedRun('SendMessage')
      return (which) =>
        place.runs.sendMessage({
          ...{ idempotencyKey: 'k', runId },
          message: pick(which, 'one', 'two'),
        })
    },
  },
  {
    rpc: 'StopRun',
    lasting: [],
    prepare: async () => {
      const { runId } = await blockedRun('StopRun')
      return (which) =>
        place.runs.stopRun({ idempotencyKey: 'k', runId, reason: pick(which, 'one', 'two') })
    },
  },
  {
    rpc: 'DecidePermission',
    lasting: ['request', 'position'],
    prepare: async () => {
      const asked = await blockedRun('DecidePermission')
      return (which) =>
        place.runs.decidePermission({
          ...{ idempotencyKey: 'k', ...asked },
          decision:
            which === 'first'
              ? PermissionDecision.PERMISSION_DECISION_ALLOW_ONCE
              : PermissionDecision.PERMISSION_DECISION_DENY,
        })
    },
  },
]

describe('an idempotency key that comes again', () => {
  test.each(rows)(
    '$rpc: an equal request has the first answer, another one is refused',
    async ({ prepare, lasting }) => {
      const call = await prepare()
      const first = await call('first')
      const again = await call('first')
      for (const field of lasting)
        expect(Reflect.get(Object(again), field)).toEqual(Reflect.get(Object(first), field))
      await expect(call('other')).rejects.toMatchObject({
        code: 'already_exists',
        details: { field: 'idempotency_key', reason: 'idempotency_key_reused' },
      })
    },
  )
})

import { type Project, ProjectRole } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProjectServiceService } from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { PermissionDecision } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { mainAgentIdOf, workspaceIdOf } from '@sciencediscovery/run-events'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Channel, connectChannel, rpcClient } from '@sciencediscovery/service-kit'
import { type Issuer, startIssuer } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import * as story from '../harness/story.js'

const people = ['ada', 'mel', 'vic', 'eve'] as const
type Person = (typeof people)[number]
const all = { pageSize: 0, pageToken: '', minPosition: '' }
const notMember = { code: 'forbidden', details: { reason: 'not_a_member' } }
const tooLow = { code: 'forbidden', details: { reason: 'role_too_low' } }
const serviceOnly = { code: 'forbidden', details: { reason: 'service_only' } }

let issuer: Issuer
let stack: TestStack
let runId: string
let sessionId: string
const channels = new Map<Person, Channel>()

const channelOf = (person: Person): Channel => {
  const channel = channels.get(person)
  if (!channel) throw new Error(`no channel for ${person}`)
  return channel
}
const as = (person: Person): TestStack => ({ ...stack, channel: channelOf(person) })
const projectsOf = (channel: Channel) => rpcClient(ProjectServiceService, channel)

async function read(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of items) count += 1
  return count
}

/** Ada has a project with a run in it; Mel works there, Vic looks, Eve is a stranger. */
beforeAll(async () => {
  issuer = await startIssuer()
  stack = await startTestStack({
    auth: {
      AUTH_ISSUER: issuer.issuer,
      AUTH_AUDIENCE: issuer.audience,
      AUTH_JWKS_URL: issuer.jwksUrl,
      AUTH_ROLES_CLAIM: 'roles',
    },
  })
  for (const person of people) {
    const token = await issuer.tokenFor(person, { claims: { roles: ['service', 'owner'] } })
    channels.set(person, connectChannel(stack.address, { token }))
  }
  sessionId = await story.openSession(as('ada'), 'of ada', {}, 'lab')
  const calls = [
    story.call('w', 'write_file', { path: 'notes.md', content: 'secret of the lab' }),
    story.call('d', 'declare_artifact', { path: 'notes.md', name: 'notes' }),
  ]
  const script = { turns: [{ text: '', toolCalls: calls }, { text: 'done' }] }
  runId = await story.start(as('ada'), sessionId, 'first', script)
  await story.toEnd(as('ada'), runId)
  const ada = projectsOf(channelOf('ada'))
  const add = { projectId: 'lab', role: ProjectRole.PROJECT_ROLE_MEMBER }
  await ada.addMember({ ...add, idempotencyKey: 'mel', principalId: 'mel' })
  const role = ProjectRole.PROJECT_ROLE_VIEWER
  await ada.addMember({ ...add, idempotencyKey: 'vic', principalId: 'vic', role })
}, 120_000)

afterAll(async () => {
  for (const channel of channels.values()) channel.close()
  await stack[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

/** Every read that people have, of the lab. */
function readsOf(channel: Channel): Readonly<Record<string, () => Promise<unknown>>> {
  const of = { ...stack, channel }
  const workspaceId = workspaceIdOf(mainAgentIdOf(sessionId), 'local')
  const files = rpcClient(WorkspaceServiceService, channel)
  const artifacts = rpcClient(ArtifactServiceService, channel)
  const actor = { projectId: 'lab', sessionId, runId: '', agentId: '', callId: '' }
  const place = { actor, workspaceId, runnerId: 'local' }
  const artifact = { projectId: 'lab', artifactId: '', name: 'notes', version: 0, minPosition: '' }
  return {
    GetProject: () => projectsOf(channel).getProject({ projectId: 'lab', minPosition: '' }),
    ListMembers: () => projectsOf(channel).listMembers({ projectId: 'lab' }),
    GetSession: () =>
      story.sessionsOf(of).getSession({ sessionId, projectId: '', minPosition: '' }),
    ListSessions: () => story.sessionsOf(of).listSessions({ projectId: 'lab', ...all }),
    GetRun: () => story.runsOf(of).getRun({ runId, minPosition: '' }),
    ListRuns: () => story.runsOf(of).listRuns({ projectId: 'lab', sessionId: '', ...all }),
    WatchRun: () =>
      read(story.runsOf(of).watchRun({ runId, afterPosition: 0n, includeLive: false })),
    ListPermissions: () => story.runsOf(of).listPermissions({ runId, pendingOnly: false }),
    GetPlan: () => story.runsOf(of).getPlan({ runId, minPosition: '' }),
    GetTranscript: () => story.runsOf(of).getTranscript({ sessionId, runId: '', ...all }),
    ListFiles: () => files.listFiles({ ...place, path: '', recursive: true, limit: 0, after: '' }),
    DownloadFile: () => read(files.downloadFile({ ...place, path: 'notes.md' })),
    ListExecutions: () =>
      rpcClient(ExecutionServiceService, channel).listExecutions({
        ...{ projectId: 'lab', workspaceId, runnerId: 'local', limit: 0 },
      }),
    ListArtifacts: () => artifacts.listArtifacts({ projectId: 'lab', ...all }),
    ReadArtifact: () =>
      artifacts.readArtifact({ ...artifact, offset: 0n, limit: 0, charOffset: 0n }),
    DownloadArtifact: () => read(artifacts.downloadArtifact(artifact)),
    GetFileProvenance: () =>
      rpcClient(ProvenanceServiceService, channel).getFileProvenance({
        ...{ projectId: 'lab', sessionId, agentId: '', pathOrArtifact: 'notes.md' },
        ...{ version: 0, minPosition: '' },
      }),
  }
}

/** What members do, in the lab. */
function worksOf(channel: Channel): Readonly<Record<string, () => Promise<unknown>>> {
  const of = { ...stack, channel }
  const runs = story.runsOf(of)
  const key = { idempotencyKey: 'work' }
  const once = PermissionDecision.PERMISSION_DECISION_ALLOW_ONCE
  return {
    StartRun: () => story.start(of, sessionId, 'work', { turns: [{ text: 'hi' }] }),
    SendMessage: () => runs.sendMessage({ ...key, runId, message: 'more' }),
    StopRun: () => runs.stopRun({ ...key, runId, reason: '' }),
    DecidePermission: () =>
      runs.decidePermission({ ...key, runId, requestId: 'p-1', decision: once }),
    CreateSession: () => story.openSession(of, 'work', {}, 'lab'),
    ArchiveSession: () =>
      story.sessionsOf(of).archiveSession({ ...key, sessionId, projectId: 'lab' }),
    UploadFile: () => rpcClient(ArtifactServiceService, channel).uploadFile(upload()),
  }
}

async function* upload() {
  const start = { idempotencyKey: 'u', projectId: 'lab', sessionId, path: 'u.txt', conflict: 1 }
  await Promise.resolve()
  yield { part: { $case: 'start' as const, value: { ...start, conflict: 1 as const } } }
  yield { part: { $case: 'content' as const, value: Buffer.from('u') } }
}

describe('a stranger to a project (S4)', () => {
  test('reads nothing of it, by any call, streams included', async () => {
    for (const [name, call] of Object.entries(readsOf(channelOf('eve')))) {
      await expect(call(), name).rejects.toMatchObject(notMember)
    }
  })

  test('does nothing in it', async () => {
    for (const [name, call] of Object.entries(worksOf(channelOf('eve')))) {
      await expect(call(), name).rejects.toMatchObject(notMember)
    }
  })

  test('sees no trace of it in lists that name no project', async () => {
    const eve = as('eve')
    const nothing = { projectId: '', sessionId: '', ...all }
    expect((await story.runsOf(eve).listRuns(nothing)).runs).toEqual([])
    expect((await story.sessionsOf(eve).listSessions({ projectId: '', ...all })).sessions).toEqual(
      [],
    )
    expect((await projectsOf(eve.channel).listProjects(all)).projects).toEqual([])
  })

  test('is told the same of a project that is not there', async () => {
    const call = projectsOf(channelOf('eve')).getProject({ projectId: 'nowhere', minPosition: '' })
    await expect(call).rejects.toMatchObject(notMember)
  })
})

describe('members of a project (S-07)', () => {
  test('a viewer reads everything', async () => {
    for (const [name, call] of Object.entries(readsOf(channelOf('vic')))) {
      await expect(call(), name).resolves.toBeDefined()
    }
    const { runs } = await story
      .runsOf(as('vic'))
      .listRuns({ projectId: '', sessionId: '', ...all })
    expect(runs.map((run) => run.runId)).toContain(runId)
    const { projects } = await projectsOf(channelOf('vic')).listProjects(all)
    expect(projects.map((project: Project) => project.projectId)).toEqual(['lab'])
  })

  test('a viewer changes nothing', async () => {
    for (const [name, call] of Object.entries(worksOf(channelOf('vic')))) {
      await expect(call(), name).rejects.toMatchObject(tooLow)
    }
  })

  test('a member works: runs, uploads, stops', async () => {
    const started = await story.start(as('mel'), sessionId, 'of mel', { turns: [{ text: 'hi' }] })
    await story.toEnd(as('mel'), started)
    await rpcClient(ArtifactServiceService, channelOf('mel')).uploadFile(upload())
    const stop = { idempotencyKey: 'stop', runId: started, reason: '' }
    await expect(story.runsOf(as('mel')).stopRun(stop)).resolves.toBeDefined()
  })

  test('a member changes neither the project nor who belongs to it', async () => {
    const mel = projectsOf(channelOf('mel'))
    const role = ProjectRole.PROJECT_ROLE_ADMIN
    const add = { idempotencyKey: 'm', projectId: 'lab', principalId: 'mel', role }
    await expect(mel.setMemberRole(add)).rejects.toMatchObject(tooLow)
    await expect(mel.addMember({ ...add, principalId: 'eve' })).rejects.toMatchObject(tooLow)
    const archive = { idempotencyKey: 'a', projectId: 'lab' }
    await expect(mel.archiveProject(archive)).rejects.toMatchObject(tooLow)
  })

  test('who is removed is out with the next call; the last admin stays', async () => {
    const ada = projectsOf(channelOf('ada'))
    const role = ProjectRole.PROJECT_ROLE_VIEWER
    const member = { projectId: 'lab', principalId: 'eve' }
    await ada.addMember({ ...member, idempotencyKey: 'in', role })
    const look = () => story.runsOf(as('eve')).getRun({ runId, minPosition: '' })
    await expect(look()).resolves.toMatchObject({ run: { runId } })
    await ada.removeMember({ ...member, idempotencyKey: 'out' })
    await expect(look()).rejects.toMatchObject(notMember)
    const self = { projectId: 'lab', principalId: 'ada', idempotencyKey: 'self' }
    await expect(ada.removeMember(self)).rejects.toMatchObject({ code: 'refused' })
  })

  test('a project that somebody else made is not entered by naming it', async () => {
    await story.openSession(stack, 'of the operator', {}, 'closed')
    const enter = story.openSession(as('ada'), 'into it', {}, 'closed')
    await expect(enter).rejects.toMatchObject(notMember)
  })
})

describe('the owner of the installation', () => {
  test('reads every project, and runs its checks; others do not', async () => {
    for (const [name, call] of Object.entries(readsOf(stack.channel))) {
      await expect(call(), name).resolves.toBeDefined()
    }
    const doctor = (channel: Channel) => rpcClient(OperationsServiceService, channel).diagnose({})
    await expect(doctor(stack.channel)).resolves.toMatchObject({ service: 'console' })
    await expect(doctor(channelOf('ada'))).rejects.toMatchObject({
      details: { reason: 'owner_only' },
    })
  })

  test('does not get at what is for services, by the one address (S4)', async () => {
    const actor = { projectId: 'lab', sessionId, runId: '', agentId: '', callId: '' }
    const workspaceId = workspaceIdOf(mainAgentIdOf(sessionId), 'local')
    const place = { actor, workspaceId, runnerId: 'local', effectKey: 'k', path: 'x' }
    const files = rpcClient(WorkspaceServiceService, stack.channel)
    const conflict = 1
    const write = files.writeFile({ ...place, content: Buffer.from('x'), conflict })
    await expect(write).rejects.toMatchObject(serviceOnly)
    const put = { ...place, digest: '0'.repeat(64), conflict, origin: 'upload' } as const
    await expect(files.putFile(put)).rejects.toMatchObject(serviceOnly)
    const edit = { ...place, oldString: 'a', newString: 'b', replaceAll: false }
    await expect(files.editFile(edit)).rejects.toMatchObject(serviceOnly)
    const execution = {
      ...{ executionId: 'e', projectId: 'lab', workspaceId, runnerId: 'local', runId: 'r' },
      ...{ agentId: 'a', callId: 'c', command: 'id', scriptPath: '', arguments: [], cwd: '' },
      ...{ environmentId: '', sessionId, timeoutMs: 0n, declaredInputs: [], waitMs: 0 },
    }
    const start = rpcClient(ExecutionServiceService, stack.channel).startExecution(execution)
    await expect(start).rejects.toMatchObject(serviceOnly)
    const role = projectsOf(stack.channel).getMemberRole({ projectId: 'lab', principalId: 'ada' })
    await expect(role).rejects.toMatchObject(serviceOnly)
  })
})

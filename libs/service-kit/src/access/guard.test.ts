import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import type { Principal } from '../grpc/call.js'
import { accessTable } from './access-table.js'
import type { IdKind, ProjectRole } from './access-rule.js'
import { createGuard } from './guard.js'

const roles: Readonly<Record<string, ProjectRole>> = {
  'p/vic': 'viewer',
  'p/mel': 'member',
  'p/ada': 'admin',
  'q/ada': 'viewer',
}
const projectOf = (kind: IdKind, id: string): string => {
  const project = id.split('-').at(-1) ?? ''
  if (!id.startsWith(kind.slice(0, 1))) throw new PlatformError('not_found', `${kind} ${id}`)
  return project
}
const guard = createGuard({
  table: accessTable,
  projectOf,
  memberships: { roleIn: (project, id) => Promise.resolve(roles[`${project}/${id}`]) },
})
const service: Principal = { id: 'local', roles: ['service'] }
const owner: Principal = { id: 'operator', roles: ['owner'] }
const person = (id: string): Principal => ({ id, roles: [] })

async function ask(principal: Principal, rpc: string, request: unknown): Promise<string> {
  const [noun, name] = rpc.split('.')
  const paths = [...accessTable.keys()]
  const method = paths.find((path) => path.endsWith(`${noun}Service/${name}`)) ?? rpc
  const { signal } = new AbortController()
  try {
    await guard.check(request, { method, principal, signal })
    return 'yes'
  } catch (error) {
    if (!isPlatformError(error)) throw error
    return error.details.reason ?? error.code
  }
}

/** To a viewer, a member and an admin. */
type Answers = readonly [string, string, string]

describe('the table of access › roles in a project (S-07)', () => {
  test.each<[string, object, Answers]>([
    ['Run.GetRun', { runId: 'r-1-p' }, ['yes', 'yes', 'yes']],
    ['Run.WatchRun', { runId: 'r-1-p' }, ['yes', 'yes', 'yes']],
    ['Run.ListRuns', { projectId: 'p', sessionId: '' }, ['yes', 'yes', 'yes']],
    ['Run.StartRun', { sessionId: 's-1-p', projectId: '' }, ['role_too_low', 'yes', 'yes']],
    ['Run.SendMessage', { runId: 'r-1-p' }, ['role_too_low', 'yes', 'yes']],
    ['Run.StopRun', { runId: 'r-1-p' }, ['role_too_low', 'yes', 'yes']],
    ['Run.DecidePermission', { runId: 'r-1-p' }, ['role_too_low', 'yes', 'yes']],
    ['Project.UpdateProject', { projectId: 'p' }, ['role_too_low', 'role_too_low', 'yes']],
    ['Project.AddMember', { projectId: 'p' }, ['role_too_low', 'role_too_low', 'yes']],
    ['Execution.CancelExecution', { workspaceId: 'w-1-p' }, ['role_too_low', 'yes', 'yes']],
    ['Workspace.ListFiles', { actor: { projectId: 'p' } }, ['yes', 'yes', 'yes']],
    ['Provenance.GetFileProvenance', { projectId: 'p' }, ['yes', 'yes', 'yes']],
  ])('%s: viewer, member and admin', async (rpc, request, [viewer, member, admin]) => {
    expect(await ask(person('vic'), rpc, request)).toBe(viewer)
    expect(await ask(person('mel'), rpc, request)).toBe(member)
    expect(await ask(person('ada'), rpc, request)).toBe(admin)
    expect(await ask(person('eve'), rpc, request)).toBe('not_a_member')
    expect(await ask(owner, rpc, request)).toBe('yes')
    expect(await ask(service, rpc, request)).toBe('yes')
  })

  test('an upload is decided by its first message', async () => {
    const start = { projectId: 'p', sessionId: '' }
    const request = { part: { $case: 'start', value: start } }
    expect(await ask(person('vic'), 'Artifact.UploadFile', request)).toBe('role_too_low')
    expect(await ask(person('mel'), 'Artifact.UploadFile', request)).toBe('yes')
  })

  test('every project that a request names counts, not the most convenient one (S4)', async () => {
    const mixed = { projectId: 'q', sessionId: 's-1-p' }
    expect(await ask(person('mel'), 'Run.StartRun', mixed)).toBe('not_a_member')
    expect(await ask(person('ada'), 'Run.StartRun', mixed)).toBe('role_too_low')
    const foreign = { projectId: 'p', workspaceId: 'w-1-p', executionId: 'e-1-q' }
    expect(await ask(person('vic'), 'Execution.ReadOutput', foreign)).toBe('not_a_member')
  })

  test('one that names none is invalid, except where the handler answers for the caller alone', async () => {
    expect(await ask(person('mel'), 'Run.GetRun', { runId: '' })).toBe('invalid')
    expect(await ask(person('mel'), 'Run.ListRuns', { projectId: '', sessionId: '' })).toBe('yes')
    expect(await ask(person('mel'), 'Run.GetRun', { runId: 'no-run' })).toBe('not_found')
  })

  test('the internal calls are for services, the owner included (S4)', async () => {
    const internal = [
      ...['Tool.Invoke', 'Tool.CancelCall', 'Execution.StartExecution'],
      ...['Workspace.WriteFile', 'Workspace.EditFile', 'Workspace.PutFile'],
      ...['Artifact.DeclareArtifact', 'Project.GetMemberRole'],
    ]
    for (const rpc of internal) {
      expect(await ask(owner, rpc, {})).toBe('service_only')
      expect(await ask(person('ada'), rpc, {})).toBe('service_only')
      expect(await ask(service, rpc, {})).toBe('yes')
    }
    const among = '/forwarded.sciencediscovery.workspaces.v1.WorkspaceService/ListFiles'
    expect(await ask(owner, among, {})).toBe('service_only')
  })

  test('without memberships only services and the owner get at projects', async () => {
    const closed = createGuard({ table: accessTable, projectOf })
    const { signal } = new AbortController()
    const method = '/sciencediscovery.runs.v1.RunService/GetRun'
    const call = { method, principal: person('ada'), signal }
    await expect(closed.check({ runId: 'r-1-p' }, call)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

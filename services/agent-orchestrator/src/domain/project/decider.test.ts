import { specFor } from '@sciencediscovery/testing'
import { describe, test } from 'vitest'
import { projectDecider } from './decider.js'
import { type ProjectEvent } from './events.js'

const now = '2026-12-01T08:00:00.000Z'
const given = specFor(projectDecider)
const by = 'ada'
const created: ProjectEvent = {
  type: 'project.created',
  v: 1,
  data: { projectId: 'p', title: 'p', at: now },
}
const added = (principalId: string, role: 'viewer' | 'member' | 'admin'): ProjectEvent => ({
  type: 'project.member.added',
  v: 1,
  data: { principalId, role, by, at: now },
})
const adaAdmin = added('ada', 'admin')
const bobViewer = added('bob', 'viewer')
const create = { type: 'CreateProject', projectId: 'p', title: 'p', implied: false, now } as const

describe('project', () => {
  test('a person who creates it is its first admin, in the same commit (S-07)', () => {
    given()
      .when({ ...create, admin: 'ada' })
      .then(created, adaAdmin)
  })

  test('one that a service creates has no members', () => {
    given().when(create).then(created)
  })

  test('an implied creation of one that exists makes nobody a member', () => {
    given(created, adaAdmin)
      .when({ ...create, implied: true, admin: 'eve' })
      .thenNothing()
  })
})

describe('project › members', () => {
  test('somebody is added once, and with one role', () => {
    const add = { type: 'AddMember', principalId: 'bob', role: 'viewer', by, now } as const
    given(created, adaAdmin).when(add).then(bobViewer)
    given(created, adaAdmin, bobViewer).when(add).thenNothing()
    given(created, adaAdmin, bobViewer)
      .when({ ...add, role: 'admin' })
      .thenRefused('refused')
  })

  test('a role is set for members alone', () => {
    const set = { type: 'SetMemberRole', principalId: 'bob', role: 'member', by, now } as const
    const data = { principalId: 'bob', role: 'member', by, at: now } as const
    given(created, adaAdmin, bobViewer)
      .when(set)
      .then({ type: 'project.member.role_set', v: 1, data })
    given(created, adaAdmin).when(set).thenRefused('refused')
  })

  test('the last admin is neither removed nor made less', () => {
    const remove = { type: 'RemoveMember', principalId: 'ada', by, now } as const
    const lower = { type: 'SetMemberRole', principalId: 'ada', role: 'member', by, now } as const
    given(created, adaAdmin, bobViewer).when(remove).thenRefused('refused')
    given(created, adaAdmin, bobViewer).when(lower).thenRefused('refused')
    given(created, adaAdmin, added('eve', 'admin'))
      .when(remove)
      .then({ type: 'project.member.removed', v: 1, data: { principalId: 'ada', by, at: now } })
  })

  test('who is removed can be added again; removing a stranger changes nothing', () => {
    const removed: ProjectEvent = {
      type: 'project.member.removed',
      v: 1,
      data: { principalId: 'bob', by, at: now },
    }
    given(created, adaAdmin, bobViewer, removed)
      .when({ type: 'AddMember', principalId: 'bob', role: 'viewer', by, now })
      .then(bobViewer)
    given(created, adaAdmin)
      .when({ type: 'RemoveMember', principalId: 'bob', by, now })
      .thenNothing()
  })
})

import { refused } from '@sciencediscovery/kernel'
import { type ProjectEvent, type ProjectRole } from './events.js'
import { type BornProject, memberOf } from './state.js'

interface ByWhom {
  readonly principalId: string
  readonly by: string
  readonly now: string
}

export type MemberCommand =
  | ({ readonly type: 'AddMember'; readonly role: ProjectRole } & ByWhom)
  | ({ readonly type: 'SetMemberRole'; readonly role: ProjectRole } & ByWhom)
  | ({ readonly type: 'RemoveMember' } & ByWhom)

/** Invariants of members: one role each; what changes nothing is no event; the last admin stays one. */
export function decideMember(command: MemberCommand, state: BornProject): readonly ProjectEvent[] {
  switch (command.type) {
    case 'AddMember':
      return add(command, state)
    case 'SetMemberRole':
      return setRole(command, state)
    case 'RemoveMember':
      return remove(command, state)
  }
}

function add(
  { principalId, role, by, now }: Extract<MemberCommand, { type: 'AddMember' }>,
  state: BornProject,
): readonly ProjectEvent[] {
  const known = memberOf(state, principalId)
  if (known?.role === role) return []
  if (known) {
    throw refused(`${principalId} is a member already, as ${known.role}`, {
      field: 'principal_id',
      remedy: 'use SetMemberRole',
    })
  }
  return [{ type: 'project.member.added', v: 1, data: { principalId, role, by, at: now } }]
}

function setRole(
  { principalId, role, by, now }: Extract<MemberCommand, { type: 'SetMemberRole' }>,
  state: BornProject,
): readonly ProjectEvent[] {
  const known = requireMember(state, principalId)
  if (known.role === role) return []
  if (role !== 'admin') requireOtherAdmin(state, principalId)
  return [{ type: 'project.member.role_set', v: 1, data: { principalId, role, by, at: now } }]
}

function remove(
  { principalId, by, now }: Extract<MemberCommand, { type: 'RemoveMember' }>,
  state: BornProject,
): readonly ProjectEvent[] {
  if (!memberOf(state, principalId)) return []
  requireOtherAdmin(state, principalId)
  return [{ type: 'project.member.removed', v: 1, data: { principalId, by, at: now } }]
}

function requireMember(state: BornProject, principalId: string): { readonly role: ProjectRole } {
  const known = memberOf(state, principalId)
  if (known) return known
  throw refused(`${principalId} is no member of project ${state.projectId}`, {
    field: 'principal_id',
    remedy: 'use AddMember',
  })
}

/** A project that nobody may change can be saved by the owner of the installation alone. */
function requireOtherAdmin(state: BornProject, principalId: string): void {
  const admins = state.members.filter(({ role }) => role === 'admin')
  const [only, second] = admins
  if (second || only?.principalId !== principalId) return
  throw refused(`${principalId} is the last admin of project ${state.projectId}`, {
    field: 'principal_id',
    reason: 'last_admin',
    remedy: 'make somebody else an admin first',
  })
}

import { type Decider, exhaustive, refused } from '@sciencediscovery/kernel'
import { type ProjectEvent } from './events.js'
import { type MemberCommand, decideMember } from './members.js'
import { type BornProject, type ProjectState } from './state.js'

export type ProjectCommand =
  /** `implied` by the first session of a project: changes nothing when it exists. `admin`: a person, who becomes its first. */
  | {
      readonly type: 'CreateProject'
      readonly projectId: string
      readonly title: string
      readonly now: string
      readonly implied: boolean
      readonly admin?: string
    }
  | { readonly type: 'RenameProject'; readonly title: string; readonly now: string }
  | { readonly type: 'ArchiveProject'; readonly now: string }
  | MemberCommand

/** Invariants of a project: created once; an archived one keeps its title and members and takes no new sessions. */
export const projectDecider: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  initialState: () => ({ status: 'unborn' }),
  decide(command, state) {
    switch (command.type) {
      case 'CreateProject':
        return create(command, state)
      case 'RenameProject':
        requireOpen(state)
        return [{ type: 'project.renamed', v: 1, data: { title: command.title, at: command.now } }]
      case 'ArchiveProject':
        return state.status === 'archived' ? [] : [archived(command.now, state)]
      case 'AddMember':
      case 'SetMemberRole':
      case 'RemoveMember':
        return decideMember(command, requireBorn(state))
      default:
        return exhaustive(command)
    }
  },
  evolve(state, event) {
    if (event.type === 'project.created') {
      const { projectId, title, at } = event.data
      return { status: 'open', projectId, title, createdAt: at, archivedAt: '', members: [] }
    }
    return state.status === 'unborn' ? state : evolveBorn(state, event)
  },
}

function evolveBorn(
  state: BornProject,
  event: Exclude<ProjectEvent, { type: 'project.created' }>,
): ProjectState {
  const { members } = state
  switch (event.type) {
    case 'project.renamed':
      return { ...state, title: event.data.title }
    case 'project.archived':
      return { ...state, status: 'archived', archivedAt: event.data.at }
    case 'project.member.added': {
      const { principalId, role, by, at } = event.data
      return { ...state, members: [...members, { principalId, role, addedBy: by, addedAt: at }] }
    }
    case 'project.member.role_set': {
      const { principalId, role } = event.data
      const changed = members.map((one) =>
        one.principalId === principalId ? { ...one, role } : one,
      )
      return { ...state, members: changed }
    }
    case 'project.member.removed': {
      const { principalId } = event.data
      return { ...state, members: members.filter((one) => one.principalId !== principalId) }
    }
    default:
      return exhaustive(event)
  }
}

function create(
  command: Extract<ProjectCommand, { type: 'CreateProject' }>,
  state: ProjectState,
): readonly ProjectEvent[] {
  if (state.status === 'archived') {
    throw refused(`project ${command.projectId} is archived`, {
      field: 'project_id',
      remedy: 'use another project',
    })
  }
  if (state.status === 'open') {
    if (command.implied) return []
    throw refused(`project ${command.projectId} exists already`, {
      field: 'project_id',
      reason: 'already_exists',
    })
  }
  const { projectId, title, now, admin } = command
  const created: ProjectEvent = {
    type: 'project.created',
    v: 1,
    data: { projectId, title, at: now },
  }
  if (admin === undefined) return [created]
  const member = { principalId: admin, role: 'admin', by: admin, at: now } as const
  return [created, { type: 'project.member.added', v: 1, data: member }]
}

function requireOpen(state: ProjectState): void {
  if (requireBorn(state).status === 'archived') throw refused('the project is archived')
}

function requireBorn(state: ProjectState): BornProject {
  if (state.status === 'unborn') throw refused('the project does not exist')
  return state
}

function archived(now: string, state: ProjectState): ProjectEvent {
  requireBorn(state)
  return { type: 'project.archived', v: 1, data: { at: now } }
}

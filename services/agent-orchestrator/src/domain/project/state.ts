import { type ProjectRole } from './events.js'

/** Somebody who belongs to a project. */
export interface Member {
  readonly principalId: string
  readonly role: ProjectRole
  readonly addedBy: string
  readonly addedAt: string
}

export type ProjectState =
  | { readonly status: 'unborn' }
  | {
      readonly status: 'open' | 'archived'
      readonly projectId: string
      readonly title: string
      readonly createdAt: string
      readonly archivedAt: string
      /** By principal, in the order they came. */
      readonly members: readonly Member[]
    }

export type BornProject = Exclude<ProjectState, { readonly status: 'unborn' }>

/** The role of a principal; undefined for who is no member, and in a project that is not there. */
export function roleOf(state: ProjectState, principalId: string): ProjectRole | undefined {
  return state.status === 'unborn' ? undefined : memberOf(state, principalId)?.role
}

export function memberOf(state: BornProject, principalId: string): Member | undefined {
  return state.members.find((member) => member.principalId === principalId)
}

import { type Aggregates } from '@sciencediscovery/event-store'
import { isProjectId, projectSubject } from '@sciencediscovery/run-events'
import { type Memberships } from '@sciencediscovery/service-kit'
import { type ProjectCommand } from '../domain/project/decider.js'
import { type ProjectState, roleOf } from '../domain/project/state.js'

/** Roles as the projects' own streams have them, to the last event. */
export function streamMemberships({
  projects,
}: {
  readonly projects: Aggregates<ProjectState, ProjectCommand>
}): Memberships {
  return {
    async roleIn(projectId, principalId) {
      if (!isProjectId(projectId)) return undefined
      const { state } = await projects.load(projectSubject(projectId))
      return roleOf(state, principalId)
    },
  }
}

import { notFound } from '@sciencediscovery/kernel'
import {
  type ListMembersRequest,
  type ListMembersResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { projectSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { requireProjectId } from './limits.js'
import { toWireMember } from './member-wire.js'

/** From the stream: a change is seen at once. */
export function listMembers(app: Application): Unary<ListMembersRequest, ListMembersResponse> {
  return async ({ projectId: wanted }) => {
    const projectId = requireProjectId(wanted)
    const { state } = await app.ctx.projects.load(projectSubject(projectId))
    if (state.status === 'unborn') throw notFound(`project ${projectId}`)
    const members = [...state.members].sort((one, other) =>
      one.principalId < other.principalId ? -1 : 1,
    )
    return { members: members.map(toWireMember) }
  }
}

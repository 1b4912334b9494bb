import {
  type GetMemberRoleRequest,
  type GetMemberRoleResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary, toWireRole } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { streamMemberships } from './stream-memberships.js'

/** For services that decide about calls themselves. */
export function getMemberRole(
  app: Application,
): Unary<GetMemberRoleRequest, GetMemberRoleResponse> {
  const memberships = streamMemberships(app.ctx)
  return async ({ projectId, principalId }, { signal }) => ({
    role: toWireRole(await memberships.roleIn(projectId, principalId, signal)),
  })
}

import {
  AddMemberRequest,
  type AddMemberResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeMember } from './change-member.js'
import { requirePrincipalId, requireRole } from './member-wire.js'
import { requestDigestOf } from './request-digest.js'

export function addMember(app: Application): Unary<AddMemberRequest, AddMemberResponse> {
  return async (request, call) => {
    const { idempotencyKey, projectId, principalId, role } = request
    const command = {
      type: 'AddMember' as const,
      principalId: requirePrincipalId(principalId),
      role: requireRole(role),
      by: call.principal.id,
      now: nowOf(app.ctx),
    }
    const requestDigest = requestDigestOf(AddMemberRequest, request)
    const change = { rpc: 'AddMember', idempotencyKey, projectId, command, requestDigest }
    return changeMember(app, change, call)
  }
}

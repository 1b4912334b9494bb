import {
  RemoveMemberRequest,
  type RemoveMemberResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { commandProject } from './change-project.js'
import { requireProjectId } from './limits.js'
import { requirePrincipalId } from './member-wire.js'
import { requestDigestOf } from './request-digest.js'

export function removeMember(app: Application): Unary<RemoveMemberRequest, RemoveMemberResponse> {
  return async (request, { principal }) => {
    const { idempotencyKey, projectId: wanted, principalId } = request
    const projectId = requireProjectId(wanted)
    const command = {
      type: 'RemoveMember' as const,
      principalId: requirePrincipalId(principalId),
      by: principal.id,
      now: nowOf(app.ctx),
    }
    const requestDigest = requestDigestOf(RemoveMemberRequest, request)
    const change = { rpc: 'RemoveMember', idempotencyKey, projectId, command, requestDigest }
    const { position } = await commandProject(app, change, principal)
    return { position }
  }
}

import {
  UpdateProjectRequest,
  type UpdateProjectResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeProject } from './change-project.js'
import { requireProjectId, requireText } from './limits.js'
import { requestDigestOf } from './request-digest.js'

export function updateProject(
  app: Application,
): Unary<UpdateProjectRequest, UpdateProjectResponse> {
  return (request, call) => {
    const { idempotencyKey, projectId: wanted, title } = request
    const requestDigest = requestDigestOf(UpdateProjectRequest, request)
    const projectId = requireProjectId(wanted)
    const command = {
      type: 'RenameProject' as const,
      title: requireText('title', title, { maxBytes: 200 }),
      now: nowOf(app.ctx),
    }
    return changeProject(
      app,
      { rpc: 'UpdateProject', idempotencyKey, projectId, command, requestDigest },
      call.principal,
    )
  }
}

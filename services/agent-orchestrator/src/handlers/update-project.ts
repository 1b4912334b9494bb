import {
  type UpdateProjectRequest,
  type UpdateProjectResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeProject } from './change-project.js'
import { requireProjectId, requireText } from './limits.js'

export function updateProject(
  app: Application,
): Unary<UpdateProjectRequest, UpdateProjectResponse> {
  return ({ idempotencyKey, projectId: wanted, title }, call) => {
    const projectId = requireProjectId(wanted)
    const command = {
      type: 'RenameProject' as const,
      title: requireText('title', title, { maxBytes: 200 }),
      now: nowOf(app.ctx),
    }
    return changeProject(
      app,
      { rpc: 'UpdateProject', idempotencyKey, projectId, command },
      call.principal,
    )
  }
}

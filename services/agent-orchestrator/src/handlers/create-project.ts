import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import {
  type CreateProjectRequest,
  type CreateProjectResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeProject } from './change-project.js'
import { requireProjectId } from './limits.js'

export function createProject(
  app: Application,
): Unary<CreateProjectRequest, CreateProjectResponse> {
  return async ({ idempotencyKey, projectId: wanted, title }, call) => {
    const projectId = requireProjectId(wanted)
    const command = {
      type: 'CreateProject' as const,
      projectId,
      title: title === '' ? projectId : title,
      implied: false,
      now: nowOf(app.ctx),
    }
    try {
      return await changeProject(
        app,
        { rpc: 'CreateProject', idempotencyKey, projectId, command },
        call.principal,
      )
    } catch (error) {
      if (!isPlatformError(error) || error.details.reason !== 'already_exists') throw error
      throw new PlatformError('already_exists', error.message, { cause: error, ...error.details })
    }
  }
}

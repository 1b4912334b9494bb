import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import {
  CreateProjectRequest,
  type CreateProjectResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeProject } from './change-project.js'
import { firstAdmin } from './first-admin.js'
import { requireProjectId } from './limits.js'
import { requestDigestOf } from './request-digest.js'

export function createProject(
  app: Application,
): Unary<CreateProjectRequest, CreateProjectResponse> {
  return async (request, call) => {
    const { idempotencyKey, projectId: wanted, title } = request
    const requestDigest = requestDigestOf(CreateProjectRequest, request)
    const projectId = requireProjectId(wanted)
    const command = {
      type: 'CreateProject' as const,
      projectId,
      title: title === '' ? projectId : title,
      implied: false,
      now: nowOf(app.ctx),
      ...firstAdmin(call.principal),
    }
    try {
      return await changeProject(
        app,
        { rpc: 'CreateProject', idempotencyKey, projectId, command, requestDigest },
        call.principal,
      )
    } catch (error) {
      if (!isPlatformError(error) || error.details.reason !== 'already_exists') throw error
      throw new PlatformError('already_exists', error.message, { cause: error, ...error.details })
    }
  }
}

import {
  ArchiveProjectRequest,
  type ArchiveProjectResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeProject } from './change-project.js'
import { requireProjectId } from './limits.js'
import { requestDigestOf } from './request-digest.js'

export function archiveProject(
  app: Application,
): Unary<ArchiveProjectRequest, ArchiveProjectResponse> {
  return (request, call) => {
    const { idempotencyKey, projectId: wanted } = request
    const requestDigest = requestDigestOf(ArchiveProjectRequest, request)
    const projectId = requireProjectId(wanted)
    const command = { type: 'ArchiveProject' as const, now: nowOf(app.ctx) }
    return changeProject(
      app,
      { rpc: 'ArchiveProject', idempotencyKey, projectId, command, requestDigest },
      call.principal,
    )
  }
}

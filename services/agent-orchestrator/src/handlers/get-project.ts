import { notFound } from '@sciencediscovery/kernel'
import {
  type GetProjectRequest,
  type GetProjectResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { projectSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { toWireProject } from './change-project.js'
import { requireProjectId } from './limits.js'

export function getProject(app: Application): Unary<GetProjectRequest, GetProjectResponse> {
  return async ({ projectId: wanted }) => {
    const projectId = requireProjectId(wanted)
    const { state } = await app.ctx.projects.load(projectSubject(projectId))
    if (state.status === 'unborn') throw notFound(`project ${projectId}`)
    return { project: toWireProject(state) }
  }
}

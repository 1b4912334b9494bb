import {
  type ListProjectsRequest,
  type ListProjectsResponse,
} from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { forWhom } from './for-whom.js'
import { pageSizeOf } from './limits.js'

export function listProjects(app: Application): Unary<ListProjectsRequest, ListProjectsResponse> {
  return async ({ pageSize, pageToken, minPosition }, { principal }) => {
    const size = pageSizeOf(pageSize, { fallback: 50, max: 200 })
    const wanted = { pageSize: size, pageToken, minPosition }
    const page = await app.views.listProjects(forWhom(principal), wanted)
    return { projects: [...page.rows], nextPageToken: page.nextPageToken }
  }
}

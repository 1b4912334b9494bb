import {
  type ListRunsRequest,
  type ListRunsResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { forWhom } from './for-whom.js'
import { pageSizeOf } from './limits.js'

export function listRuns(app: Application): Unary<ListRunsRequest, ListRunsResponse> {
  return async (request, { principal }) => {
    const { projectId, sessionId, pageSize, pageToken, minPosition } = request
    const size = pageSizeOf(pageSize, { fallback: 50, max: 200 })
    const page = await app.views.listRuns(
      { projectId, sessionId, ...forWhom(principal, projectId, sessionId) },
      { pageSize: size, pageToken, minPosition },
    )
    return { runs: [...page.rows], nextPageToken: page.nextPageToken }
  }
}

import {
  type ListSessionsRequest,
  type ListSessionsResponse,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { forWhom } from './for-whom.js'
import { pageSizeOf } from './limits.js'

export function listSessions(app: Application): Unary<ListSessionsRequest, ListSessionsResponse> {
  return async ({ projectId, pageSize, pageToken, minPosition }, { principal }) => {
    const size = pageSizeOf(pageSize, { fallback: 50, max: 200 })
    const page = await app.views.listSessions(
      { projectId, ...forWhom(principal, projectId) },
      { pageSize: size, pageToken, minPosition },
    )
    return { sessions: [...page.rows], nextPageToken: page.nextPageToken }
  }
}

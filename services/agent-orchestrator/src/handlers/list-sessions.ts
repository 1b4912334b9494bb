import {
  type ListSessionsRequest,
  type ListSessionsResponse,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { pageSizeOf } from './limits.js'

export function listSessions(app: Application): Unary<ListSessionsRequest, ListSessionsResponse> {
  return async ({ projectId, pageSize, pageToken, minPosition }) => {
    const size = pageSizeOf(pageSize, { fallback: 50, max: 200 })
    const page = await app.views.listSessions(
      { projectId },
      { pageSize: size, pageToken, minPosition },
    )
    return { sessions: [...page.rows], nextPageToken: page.nextPageToken }
  }
}

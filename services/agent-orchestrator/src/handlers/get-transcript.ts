import { invalid } from '@sciencediscovery/kernel'
import {
  type GetTranscriptRequest,
  type GetTranscriptResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { pageSizeOf } from './limits.js'

export function getTranscript(
  app: Application,
): Unary<GetTranscriptRequest, GetTranscriptResponse> {
  return async ({ sessionId, runId, pageSize, pageToken, minPosition }) => {
    if (sessionId === '' && runId === '')
      throw invalid('session_id', 'is missing', 'send a session id or a run id')
    const size = pageSizeOf(pageSize, { fallback: 50, max: 200 })
    const page = await app.views.transcriptOf(
      { sessionId, runId },
      { pageSize: size, pageToken, minPosition },
    )
    return { entries: [...page.rows], nextPageToken: page.nextPageToken }
  }
}

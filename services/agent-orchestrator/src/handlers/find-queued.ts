import { type Run } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { encodePosition } from '@sciencediscovery/projection'
import { type Application } from './application.js'

/**
 * A run that waits in its session's queue, which only the view knows by its id. One that is missing there
 * is looked for once more, as the sessions are now: it may have been accepted a moment ago.
 */
export async function findQueued(
  app: Application,
  runId: string,
  minPosition: string,
): Promise<Run | undefined> {
  const found = await app.views.findRun(runId, minPosition)
  if (found) return found
  const { store } = app.ctx
  const [stream = ''] = store.streamsOf('sessions')
  const now = encodePosition({ stream, sequence: await store.lastSequence(stream) })
  return app.views.findRun(runId, now)
}

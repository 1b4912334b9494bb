import { notFound } from '@sciencediscovery/kernel'
import {
  type GetRunRequest,
  type GetRunResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { decodePosition } from '@sciencediscovery/projection'
import { runSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { findQueued } from './find-queued.js'
import { isBorn } from './load-run.js'
import { toWireRun } from './run-wire.js'

/** From the stream; a run that still waits in its session's queue is only in the view. */
export function getRun(app: Application): Unary<GetRunRequest, GetRunResponse> {
  return async ({ runId, minPosition }) => {
    if (minPosition !== '') decodePosition(minPosition)
    const { state } = await app.ctx.runs.load(runSubject(runId))
    if (isBorn(state)) return { run: toWireRun(state) }
    const run = await findQueued(app, runId, minPosition)
    if (!run) throw notFound(`run ${runId}`)
    return { run }
  }
}

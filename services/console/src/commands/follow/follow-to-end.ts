import { isPlatformError } from '@sciencediscovery/kernel'
import type { RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
import type { CommandContext, ExitCode } from '../../context.js'
import { createJsonView, createPeopleView } from '../print/run-view.js'
import { followRun } from './follow-run.js'
import { exitCodeOf } from './run-end.js'

/** How a run is followed and shown. */
export interface FollowRequest {
  readonly runId: string
  readonly after: number
  readonly json: boolean
  /** Leaves the run to itself when it aborts. */
  readonly signal: AbortSignal
  /** Told of each event, after it was shown. */
  readonly onEvent?: (event: RunEvent) => void
}

/** Shows the run until it ended; the exit code says how. Leaving early says how to go on. */
export async function followToEnd(
  { stack, output, patience }: CommandContext,
  request: FollowRequest,
): Promise<ExitCode> {
  const { runId, after, json } = request
  const view = json ? createJsonView(output) : createPeopleView(output)
  const signal = AbortSignal.any([request.signal, output.closed])
  const events = followRun(stack, { runId, after, live: view.live, signal, patience })
  let position = after
  const hint = (why: string): void => {
    output.note(`${why}; the run is kept: scid watch ${runId} --from ${position}`)
  }
  try {
    for (;;) {
      const next = await events.next()
      if (next.done === true) return exitCodeOf(next.value)
      await view.show(next.value)
      if (next.value.kind !== 'event') continue
      position = Number(next.value.event.position)
      request.onEvent?.(next.value.event)
    }
  } catch (error) {
    if (output.closed.aborted) {
      hint('nobody reads the output any more')
      return 1
    }
    if (!request.signal.aborted || !isPlatformError(error)) throw error
    hint('left')
    return 130
  } finally {
    await events.return('failed').catch(() => undefined)
  }
}

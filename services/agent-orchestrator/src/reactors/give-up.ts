import { type RunCommand } from '../domain/run/commands.js'
import { type OpenRequest } from '../domain/run/open-requests.js'
import { type Context, nowOf } from '../context.js'

const message = 'this step failed again and again and was given up'

/** The one outcome of a request that cannot be seen to: poison ends in the run, where people look. */
export function giveUpCommand(ctx: Context, request: OpenRequest): RunCommand {
  const by = { writer: ctx.here.replicaId, now: nowOf(ctx) }
  const { turn, attempt } = request
  if (request.kind === 'model') {
    const failure = { reason: 'gave_up', message, retryable: false }
    return { type: 'RecordModelFailure', turn, attempt, ...failure, ...by }
  }
  const { callId } = request.call.asked
  return { type: 'FailCall', callId, attempt, reason: 'gave_up', message, ...by }
}

/** What makes it once-only, whoever gives up. */
export function giveUpId({ requestId, turn, attempt }: OpenRequest): readonly (string | number)[] {
  return ['give-up', requestId, turn, attempt]
}

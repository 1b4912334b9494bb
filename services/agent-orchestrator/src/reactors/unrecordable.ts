import { toPlatformError } from '@sciencediscovery/kernel'
import { type FailCall, type RecordModelFailure, type RunCommand } from '../domain/run/commands.js'

/**
 * The outcome to record when the real one does not fit into a commit, or cannot be decided on for a fault of
 * ours. Without one, the request would be open for ever and its effect be asked for again and again.
 */
export function insteadOf(
  command: RunCommand,
  error: unknown,
): RecordModelFailure | FailCall | undefined {
  const { code, message: why } = toPlatformError(error)
  if (code !== 'invalid' && code !== 'bug') return undefined
  const message = `The outcome cannot be recorded: ${why}`.slice(0, 500)
  if (command.type === 'RecordModelTurn') {
    const { turn, attempt, writer, now } = command
    const reason = code === 'invalid' ? 'turn_too_large' : 'gave_up'
    const failure = { reason, message, retryable: false }
    return { type: 'RecordModelFailure', turn, attempt, writer, now, ...failure }
  }
  if (command.type !== 'CompleteCall') return undefined
  const { callId, attempt, writer, now } = command
  const reason = code === 'invalid' ? 'unknown' : 'gave_up'
  return { type: 'FailCall', callId, attempt, writer, now, reason, message }
}

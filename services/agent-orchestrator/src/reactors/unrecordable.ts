import { isPlatformError } from '@sciencediscovery/kernel'
import { type FailCall, type RecordModelFailure, type RunCommand } from '../domain/run/commands.js'

/**
 * The outcome to record when the real one does not fit into a commit. Without one, the request would be
 * open for ever and its effect be asked for again and again.
 */
export function insteadOf(
  command: RunCommand,
  error: unknown,
): RecordModelFailure | FailCall | undefined {
  if (!isPlatformError(error) || error.code !== 'invalid') return undefined
  const message = `The outcome cannot be recorded: ${error.message}`.slice(0, 500)
  if (command.type === 'RecordModelTurn') {
    const { turn, attempt, writer, now } = command
    const failure = { reason: 'turn_too_large', message, retryable: false }
    return { type: 'RecordModelFailure', turn, attempt, writer, now, ...failure }
  }
  if (command.type !== 'CompleteCall') return undefined
  const { callId, attempt, writer, now } = command
  return { type: 'FailCall', callId, attempt, writer, now, reason: 'unknown', message }
}

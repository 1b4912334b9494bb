import { RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import type { ExitCode } from '../../context.js'

/** How a run ended. */
export type RunEnd = 'completed' | 'failed' | 'cancelled'

const endByType: ReadonlyMap<string, RunEnd> = new Map([
  ['run.completed', 'completed'],
  ['run.failed', 'failed'],
  ['run.cancelled', 'cancelled'],
])

const endByStatus: ReadonlyMap<number, RunEnd> = new Map([
  [RunStatus.RUN_STATUS_COMPLETED, 'completed'],
  [RunStatus.RUN_STATUS_FAILED, 'failed'],
  [RunStatus.RUN_STATUS_CANCELLED, 'cancelled'],
])

/** The end that an event says, if it says one. */
export function endOfEvent(type: string): RunEnd | undefined {
  return endByType.get(type)
}

/** The end that a status says; undefined while the run goes on. */
export function endOfStatus(status: RunStatus): RunEnd | undefined {
  return endByStatus.get(status)
}

/** What the end of a run is to a shell. */
export function exitCodeOf(end: RunEnd): ExitCode {
  switch (end) {
    case 'completed':
      return 0
    case 'failed':
      return 1
    case 'cancelled':
      return 130
  }
}

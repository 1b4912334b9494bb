import { RunStatus, type Run } from '@sciencediscovery/proto-gen/runs/v1/runs'

const names: ReadonlyMap<number, string> = new Map([
  [RunStatus.RUN_STATUS_QUEUED, 'queued'],
  [RunStatus.RUN_STATUS_RUNNING, 'running'],
  [RunStatus.RUN_STATUS_BLOCKED, 'blocked'],
  [RunStatus.RUN_STATUS_CANCELLING, 'cancelling'],
  [RunStatus.RUN_STATUS_COMPLETED, 'completed'],
  [RunStatus.RUN_STATUS_FAILED, 'failed'],
  [RunStatus.RUN_STATUS_CANCELLED, 'cancelled'],
])

/** Where a run is, in one word; `unknown` for what only a newer server knows. */
export function statusName(status: RunStatus): string {
  return names.get(status) ?? 'unknown'
}

/** A run for machines. */
export function runRecord(run: Run): Readonly<Record<string, unknown>> {
  const { usage, status, ...rest } = run
  return {
    ...rest,
    status: statusName(status),
    usage: usage && {
      modelTurns: usage.modelTurns,
      inputTokens: Number(usage.inputTokens),
      outputTokens: Number(usage.outputTokens),
      costUsd: usage.costUsd,
      unpricedTurns: usage.unpricedTurns,
    },
  }
}

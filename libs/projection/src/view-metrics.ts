import { type CheckpointKey } from './checkpoint-rows.js'

/** Where readers count what they do. The labels are the view and the stream. */
export interface ViewMetrics {
  applied(
    key: CheckpointKey,
    batch: { readonly commits: number; readonly durationMs: number },
  ): void
  failed(
    key: CheckpointKey,
    failure: { readonly sequence: number; readonly attempts: number; readonly code: string },
  ): void
  /** Another reader was faster. */
  fenced(key: CheckpointKey): void
  /** The view was emptied because the stream is another one. */
  rebuilt(key: CheckpointKey): void
}

/** Counts nothing. */
export const noViewMetrics: ViewMetrics = {
  applied: () => undefined,
  failed: () => undefined,
  fenced: () => undefined,
  rebuilt: () => undefined,
}

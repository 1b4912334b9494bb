export { type View, type ViewTables, viewMigrations } from './view.js'
export { runView, type RunViewOptions, type RunningView, type StreamStatus } from './run-view.js'
export { runViews, type RunningViews } from './run-views.js'
export { type ViewFailure } from './failures.js'
export { type ViewMetrics, noViewMetrics } from './view-metrics.js'
export { type CheckpointKey } from './checkpoint-rows.js'
export { type ReaderRole } from './stream-reader.js'
export { rebuildView, type RebuildOptions } from './rebuild-view.js'
export { hashOfTables } from './hash-of-tables.js'
export { type Position, encodePosition, decodePosition } from './position.js'
export {
  PositionWaiter,
  type PositionWaiterOptions,
  type WaitForPositionOptions,
} from './position-waiter.js'
export { caughtUp } from './caught-up.js'

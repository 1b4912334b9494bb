import { type WorkspaceSnapshots } from '../snapshots.js'

const shortestPauseMs = 250
/** Looking may take a twentieth of the time. */
const pauseFactor = 20

/** Looks at the size of the workspace while an execution runs; more often when that costs little. */
export function watchWorkspaceSize(
  snapshots: WorkspaceSnapshots,
  limitBytes: number,
  onOver: () => void,
): Disposable {
  const state: { timer: NodeJS.Timeout | undefined; over: boolean } = {
    timer: undefined,
    over: false,
  }
  const look = async (): Promise<void> => {
    const startedAt = performance.now()
    const sizeBytes = await snapshots.sizeBytes()
    if (state.over) return
    if (sizeBytes > limitBytes) onOver()
    plan(Math.max(shortestPauseMs, (performance.now() - startedAt) * pauseFactor))
  }
  const plan = (pauseMs: number): void => {
    // A failed look says nothing about the size; the next one may.
    state.timer = setTimeout(() => {
      look().catch(() => {
        plan(shortestPauseMs)
      })
    }, pauseMs)
    state.timer.unref()
  }
  if (limitBytes > 0) plan(shortestPauseMs)
  return {
    [Symbol.dispose]: () => {
      state.over = true
      clearTimeout(state.timer)
    },
  }
}

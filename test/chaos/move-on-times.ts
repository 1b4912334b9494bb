import { type SeenEvent } from '../harness/run-watcher.js'
import { type Kill } from './kill-plan.js'

/** The longest time after the kill in which nothing was recorded, from the kill to the end of the run. */
export function longestStandstillMs(events: readonly SeenEvent[], killedAtMs: number): number {
  const times = [killedAtMs, ...events.map(({ atMs }) => atMs).filter((at) => at > killedAtMs)]
  return Math.max(0, ...times.slice(1).map((at, n) => at - (times[n] ?? at)))
}

/** Collects how long runs stood still, for the last lines of the suite. */
export function standstills(): {
  add(kill: Kill, standstillMs: number, absentMs: number): void
  print(): void
} {
  const rows: { readonly kill: Kill; readonly standstillMs: number; readonly absentMs: number }[] =
    []
  return {
    add: (kill, standstillMs, absentMs) => {
      rows.push({ kill, standstillMs, absentMs })
    },
    print: () => {
      const lines = rows.map(({ kill, standstillMs, absentMs }) => {
        const absent = absentMs > 0 ? ` (its only replica was away for ${absentMs} ms)` : ''
        return `  ${kill.victim.padEnd(14)} after ${kill.after.padEnd(21)} ${standstillMs} ms${absent}`
      })
      const sorted = rows.map(({ standstillMs }) => standstillMs).sort((a, b) => a - b)
      const median = sorted[Math.floor(sorted.length / 2)] ?? 0
      lines.push(`  min ${sorted[0] ?? 0}, median ${median}, max ${sorted.at(-1) ?? 0} ms`)
      process.stderr.write(`longest standstill after a kill:\n${lines.join('\n')}\n`)
    },
  }
}

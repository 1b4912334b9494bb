import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { delay } from '@sciencediscovery/service-kit'

/** It is mostly a matter of less than a timer can wait. */
const quickLooks = 50

/**
 * Resolves when a process is gone. The first process of a pid namespace ends only after the kernel has
 * ended every other one in it, so this is the whole tree.
 */
export async function processGone(pid: number): Promise<void> {
  for (let looks = 1; isAlive(pid); looks += 1) {
    if (looks <= quickLooks) await nextTurn()
    else await delay(Math.min(20, looks - quickLooks))
  }
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // A zombie that nobody collects has no tree any more.
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

/** Ends a process that may be gone already. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was faster.
  }
}

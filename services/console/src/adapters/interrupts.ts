import { PlatformError } from '@sciencediscovery/kernel'
import type { Interrupts } from '../context.js'

/** Where signals come from: `process` is one. */
export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

const names = ['SIGINT', 'SIGTERM'] as const

/** Counts signals. After the second they are nobody's: a third one ends the process. */
export function createInterrupts(source: SignalSource): Interrupts & Disposable {
  const stop = new AbortController()
  const leave = new AbortController()
  const forget = (): void => {
    for (const name of names) source.off(name, trigger)
  }
  const trigger = (): void => {
    if (!stop.signal.aborted) {
      stop.abort(new PlatformError('cancelled', 'interrupted'))
      return
    }
    leave.abort(new PlatformError('cancelled', 'interrupted twice'))
    forget()
  }
  for (const name of names) source.on(name, trigger)
  return { stop: stop.signal, leave: leave.signal, trigger, [Symbol.dispose]: forget }
}

import { type OpenCall } from './state.js'

/**
 * The calls that may start now: shared ones run together, exclusive ones alone, and nothing
 * overtakes a call that was declared before it and is not shared with it.
 */
export function runnableCalls(calls: readonly OpenCall[]): readonly OpenCall[] {
  const unsettled = calls.filter((call) => call.stage.at !== 'settled')
  const first = unsettled[0]
  if (!first) return []
  const group = first.asked.concurrency === 'exclusive' ? [first] : leadingShared(unsettled)
  return group.filter((call) => call.stage.at === 'waiting')
}

function leadingShared(calls: readonly OpenCall[]): readonly OpenCall[] {
  const barrier = calls.findIndex((call) => call.asked.concurrency === 'exclusive')
  return barrier === -1 ? calls : calls.slice(0, barrier)
}

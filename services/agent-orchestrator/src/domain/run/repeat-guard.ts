import { type Buckets, canonicalJson, lookUp, put } from '@sciencediscovery/kernel'
import { type AskedToolCall } from '@sciencediscovery/run-events'
import { type CallResult, type GuardEntry, type OpenCall } from './state.js'

/** From this many equal calls on, the handler is not run and the model is warned. */
export const warnFrom = 10
/** From this many on, the call is an error. */
export const stopFrom = 20

/** What the guard says to a call that may run now; undefined lets it run. */
export function guardVerdict(call: OpenCall): Omit<CallResult, 'callId' | 'name'> | undefined {
  if (call.ordinal < warnFrom) return undefined
  const stop = call.ordinal >= stopFrom
  const code = stop ? 'TOOL_LOOP_DETECTED' : 'REPEATED_TOOL_CALL'
  const text = stop
    ? `${code}: this call was made ${call.ordinal} times with equal arguments and was not run. Do something else.`
    : `${code}: this call was made ${call.ordinal} times with equal arguments and was not run again. Use the earlier result, or change the arguments.`
  const details = stop
    ? { ok: false, error: { code, message: text, attempts: call.ordinal, retryable: false } }
    : { warning: code, count: call.ordinal }
  return { isError: stop, text, details: { json: details } }
}

/** Counts the calls of a turn in declared order and gives each its ordinal. */
export function countCalls(
  guard: Buckets<GuardEntry>,
  asked: readonly AskedToolCall[],
): { readonly guard: Buckets<GuardEntry>; readonly calls: readonly OpenCall[] } {
  let counted = guard
  const calls = asked.map((call): OpenCall => {
    const entry = lookUp(counted, call.argumentsDigest)
    const ordinal = (entry?.count ?? 0) + 1
    counted = put(counted, call.argumentsDigest, { ...entry, count: ordinal })
    return { asked: call, ordinal, stage: { at: 'waiting' } }
  })
  return { guard: counted, calls }
}

/** An observation tool may repeat for as long as what it observes changes: its count restarts then. */
export function noteObservation(
  guard: Buckets<GuardEntry>,
  call: OpenCall,
  result: CallResult,
): Buckets<GuardEntry> {
  if (!call.asked.observation || call.ordinal >= warnFrom) return guard
  const observed = canonicalJson([result.text, result.details])
  const entry = lookUp(guard, call.asked.argumentsDigest)
  const changed = entry?.observed !== undefined && entry.observed !== observed
  return put(guard, call.asked.argumentsDigest, {
    count: changed ? 1 : (entry?.count ?? 1),
    observed,
  })
}

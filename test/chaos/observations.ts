import { z } from 'zod'
import { type SeenEvent } from '../harness/run-watcher.js'

const outcomeTypes = new Set(['tool.call.completed', 'tool.call.failed', 'tool.call.superseded'])
const ShownSchema = z.object({ execution: z.object({ stdout: z.string() }) })
const StartedSchema = z.object({ executionId: z.string() })

/** The outcomes of every call that was asked for. */
export function outcomesOf(
  events: readonly SeenEvent[],
): ReadonlyMap<string, readonly SeenEvent[]> {
  const calls = new Map<string, SeenEvent[]>()
  for (const event of events) {
    const callId = String(event.data.callId)
    if (event.type === 'tool.call.requested' && !calls.has(callId)) calls.set(callId, [])
    if (outcomeTypes.has(event.type)) calls.get(callId)?.push(event)
  }
  return calls
}

/** What the last effect that came back saw in the file: a line per time that an effect was made. */
export function logLinesOf(events: readonly SeenEvent[]): readonly string[] {
  const shown = events.flatMap(({ type, data }) => {
    const parsed = ShownSchema.safeParse(type === 'tool.call.completed' ? data.details : undefined)
    return parsed.success ? [parsed.data.execution.stdout] : []
  })
  return (shown.at(-1) ?? '').split('\n').filter((line) => line !== '')
}

/** How often each execution was started. */
export function startsOf(
  events: readonly { readonly type: string; readonly data: unknown }[],
): ReadonlyMap<string, number> {
  const starts = new Map<string, number>()
  for (const { type, data } of events) {
    if (type !== 'execution.started') continue
    const { executionId } = StartedSchema.parse(data)
    starts.set(executionId, (starts.get(executionId) ?? 0) + 1)
  }
  return starts
}

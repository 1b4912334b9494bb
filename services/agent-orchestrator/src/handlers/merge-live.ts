import { type Signals } from '@sciencediscovery/event-store'
import { type WatchRunResponse } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { z } from 'zod'

const LiveSchema = z.object({ kind: z.string(), text: z.string(), callId: z.string().default('') })

/** Live pieces that a slow watcher did not take yet; older ones are dropped, they are only hints. */
const maxWaiting = 1_000

/** The events of a run with live pieces between them, in the order they come. Ends with the events. */
export async function* mergeLive(
  signals: Signals,
  runId: string,
  events: AsyncGenerator<WatchRunResponse, void, undefined>,
): AsyncGenerator<WatchRunResponse, void, undefined> {
  const waiting: WatchRunResponse[] = []
  let wake = (): void => undefined
  const subscription = await signals.subscribe(`live.${runId}`, (payload) => {
    const live = LiveSchema.safeParse(payload)
    if (!live.success) return
    if (waiting.length >= maxWaiting) waiting.shift()
    waiting.push({ item: { $case: 'live', value: live.data } })
    wake()
  })
  try {
    let next = events.next()
    for (;;) {
      const live = new Promise<'live'>((resolve) => {
        wake = () => {
          resolve('live')
        }
      })
      yield* waiting.splice(0)
      const first = await Promise.race([next, live])
      if (first === 'live') continue
      if (first.done === true) return
      yield first.value
      next = events.next()
    }
  } finally {
    await subscription[Symbol.asyncDispose]()
    await events.return()
  }
}

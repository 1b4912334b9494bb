import { PlatformError } from '@sciencediscovery/kernel'
import type { RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'

/** The payload of an event. */
export function dataOf(event: RunEvent): unknown {
  try {
    return JSON.parse(event.dataJson)
  } catch (cause) {
    const message = `event ${event.position} of ${event.stream} carries no JSON`
    throw new PlatformError('bug', message, { cause })
  }
}

/** An event as one line of JSON. */
export function eventJson(event: RunEvent): string {
  const { stream, type, time, summary } = event
  const line = {
    stream,
    position: Number(event.position),
    type,
    time,
    summary,
    data: dataOf(event),
  }
  return `${JSON.stringify(line)}\n`
}

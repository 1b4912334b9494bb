import { isPlatformError } from '@sciencediscovery/kernel'
import { type StoredCommit } from '../commit.js'
import { type EventStore } from '../event-store.js'
import { Gate } from '../gate.js'
import { hasAborted } from '../linked-signal.js'
import { type NatsLink } from './nats-connection.js'

const heartbeatMs = 2_000
const firstLookMs = 2

interface Follow {
  readonly subject: string
  readonly afterSequence: number
  readonly signal: AbortSignal
}

/**
 * Follows one subject without a consumer of its own. The published message itself, seen on core NATS,
 * is the hint to look; it may be lost, or come before the commit is stored, so the last commit is
 * looked up again a few times after a hint and at every heartbeat. What is given comes from the stream.
 */
export async function* followSubject(
  store: Pick<EventStore, 'last' | 'read'>,
  hints: { readonly link: NatsLink; readonly subject: string },
  { subject, afterSequence, signal }: Follow,
): AsyncGenerator<StoredCommit> {
  const hinted = new Gate()
  let lookMs = firstLookMs
  const hint = (): void => {
    lookMs = firstLookMs
    hinted.open()
  }
  const subscription = hints.link.nc.subscribe(hints.subject, { callback: hint })
  const off = hints.link.reconnected.onOpen(hint)
  try {
    await hints.link.nc.flush()
    let cursor = afterSequence
    while (!signal.aborted) {
      const [seen, before] = [hinted.count, cursor]
      for await (const stored of commitsAfter(store, subject, cursor, signal)) {
        cursor = stored.sequence
        yield stored
      }
      if (cursor !== before) continue
      await hinted.passed(seen, signal, lookMs)
      lookMs = Math.min(heartbeatMs, lookMs * 2)
    }
  } finally {
    off()
    if (!hints.link.nc.isClosed()) subscription.unsubscribe()
  }
}

async function* commitsAfter(
  store: Pick<EventStore, 'last' | 'read'>,
  subject: string,
  cursor: number,
  signal: AbortSignal,
): AsyncGenerator<StoredCommit> {
  try {
    const last = await store.last(subject, signal)
    if (!last || last.sequence <= cursor) return
    const range = { afterSequence: cursor, upToSequence: last.sequence }
    for await (const stored of store.read(subject, range, signal)) {
      if (hasAborted(signal)) return
      yield stored
    }
  } catch (error) {
    // No leader now, or the caller left: the next look will tell.
    if (!isPlatformError(error) || (error.code !== 'unavailable' && error.code !== 'cancelled'))
      throw error
  }
}

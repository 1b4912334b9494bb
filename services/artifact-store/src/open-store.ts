import { connectJetStream, type EventStore } from '@sciencediscovery/event-store'
import { refused } from '@sciencediscovery/kernel'
import { type Lifecycle } from '@sciencediscovery/service-kit'

/** The event store of a process of its own: on the bus, since an embedded one belongs to one process. */
export async function openStore(
  natsUrl: string | undefined,
  lifecycle: Lifecycle,
): Promise<EventStore> {
  if (natsUrl === undefined)
    throw refused('no event store is configured', {
      field: 'NATS_URL',
      remedy: 'set NATS_URL, or run all services in one process with make run',
    })
  const ports = lifecycle.use(
    await connectJetStream({ servers: natsUrl.split(','), name: 'artifact-store' }),
  )
  return ports.store
}

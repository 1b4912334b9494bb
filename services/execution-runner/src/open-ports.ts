import { type BlobStore } from '@sciencediscovery/blob-store'
import { type EventPorts } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { type Lifecycle, openInfrastructure } from '@sciencediscovery/service-kit'
import { type RunnerConfig } from './config.js'

/** The ports of a runner. */
interface Ports extends EventPorts {
  readonly blobs: BlobStore
}

/** What a runner works through: handed in by a local stack, else connected as the environment says. */
export async function openPorts(
  { infrastructure, dataDirectory }: RunnerConfig,
  { store, queue, signals, blobs }: Partial<Ports>,
  lifecycle: Lifecycle,
): Promise<Ports> {
  if (store && queue && signals && blobs) return { store, queue, signals, blobs }
  if (!infrastructure) {
    throw new PlatformError('invalid', 'neither ports nor a way to connect to them', {
      remedy: 'hand in store, queue, signals and blobs, or set NATS_URL',
    })
  }
  return lifecycle.use(await openInfrastructure(infrastructure, dataDirectory))
}

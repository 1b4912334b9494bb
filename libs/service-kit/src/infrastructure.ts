import { type BlobStore } from '@sciencediscovery/blob-store'
import { type EventPorts, connectJetStream } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { positiveInteger } from './config-codecs.js'
import { natsAccessOf } from './nats-access.js'
import { blobShape, openBlobs } from './open-blobs.js'

/** The variables that say where a process finds the bus and the blobs. The same names in every service. */
export const infrastructureShape = {
  NATS_URL: z.string().optional(),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  /** A file of credentials in place of user and password. */
  NATS_CREDS_FILE: z.string().optional(),
  /** `http://host:8222` of each server, to see whether it syncs; separated by commas. */
  NATS_MONITORING_URLS: z.string().optional(),
  SCIENCE_DISCOVERY_STREAM_PREFIX: z.string().optional(),
  SCIENCE_DISCOVERY_STREAM_REPLICAS: positiveInteger.default(1),
  SCIENCE_DISCOVERY_RUN_SHARDS: positiveInteger.optional(),
  ...blobShape,
}

/** Where a process finds the bus and the blobs. */
export type InfrastructureVariables = z.output<z.ZodObject<typeof infrastructureShape>>

/** The ports that a service works through. */
export interface Infrastructure extends EventPorts, AsyncDisposable {
  readonly blobs: BlobStore
}

/** Connects a process of its own to NATS and the blob store. A local stack hands in embedded ports instead. */
export async function openInfrastructure(
  variables: InfrastructureVariables | undefined,
  dataDirectory: string,
): Promise<Infrastructure> {
  const url = variables?.NATS_URL
  if (variables === undefined || url === undefined) {
    throw new PlatformError(
      'invalid',
      'NATS_URL: a service that runs by itself needs a NATS server',
      {
        field: 'NATS_URL',
        remedy:
          'set NATS_URL to nats://host:4222, or start everything in one process with `scid up`',
      },
    )
  }
  const ports = await connectJetStream({
    ...natsAccessOf(url, variables),
    prefix: variables.SCIENCE_DISCOVERY_STREAM_PREFIX,
    replicas: variables.SCIENCE_DISCOVERY_STREAM_REPLICAS,
    runShards: variables.SCIENCE_DISCOVERY_RUN_SHARDS,
    monitoringUrls: variables.NATS_MONITORING_URLS?.split(','),
  })
  try {
    const opened = await openBlobs(variables, dataDirectory)
    return {
      ...ports,
      blobs: opened.blobs,
      async [Symbol.asyncDispose]() {
        await ports[Symbol.asyncDispose]()
        opened[Symbol.dispose]()
      },
    }
  } catch (error) {
    await ports[Symbol.asyncDispose]()
    throw error
  }
}

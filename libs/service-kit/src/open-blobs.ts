import { join } from 'node:path'
import {
  type BlobStore,
  type S3BlobStoreOptions,
  createDirectoryBlobStore,
  createS3BlobStore,
} from '@sciencediscovery/blob-store'
import { invalid } from '@sciencediscovery/kernel'
import { z } from 'zod'

/** The variables that say where the blobs are. The same names in every service. */
export const blobShape = {
  SCIENCE_DISCOVERY_BLOB_DIR: z.string().optional(),
  /** `s3://bucket/prefix?region=…&endpoint=…`: wins over the directory. */
  SCIENCE_DISCOVERY_BLOB_URL: z.string().optional(),
}

/** Where a process finds the blobs. */
export type BlobVariables = z.output<z.ZodObject<typeof blobShape>>

/** A blob store and what it holds open. */
export interface OpenedBlobs extends Disposable {
  readonly blobs: BlobStore
}

/** Opens the bucket, else the directory of the variables, else `blobs` below the data directory. */
export async function openBlobs(
  variables: BlobVariables,
  dataDirectory: string,
): Promise<OpenedBlobs> {
  const { SCIENCE_DISCOVERY_BLOB_DIR: named, SCIENCE_DISCOVERY_BLOB_URL: url } = variables
  if (url !== undefined) {
    const blobs = await createS3BlobStore(parseBlobUrl(url))
    return {
      blobs,
      [Symbol.dispose]() {
        blobs[Symbol.dispose]()
      },
    }
  }
  const directory = named ?? join(dataDirectory, 'blobs')
  const blobs = await createDirectoryBlobStore({ directory, fsync: true })
  return { blobs, [Symbol.dispose]: () => undefined }
}

const parameters = new Set(['region', 'endpoint'])
const field = 'SCIENCE_DISCOVERY_BLOB_URL'
const remedy = 'send s3://BUCKET/PREFIX?region=REGION, with &endpoint=URL for a store beside AWS'

/** `s3://bucket/prefix?region=…&endpoint=…` as options; credentials come from the SDK's own chain. */
export function parseBlobUrl(text: string): S3BlobStoreOptions {
  const url = toBucketUrl(text)
  const endpoint = url.searchParams.get('endpoint')
  const path = decodeURIComponent(url.pathname.replace(/^\/+|\/+$/g, ''))
  return {
    bucket: url.hostname,
    region: url.searchParams.get('region') ?? 'us-east-1',
    ...(path === '' ? {} : { prefix: `${path}/` }),
    ...(endpoint === null ? {} : { endpoint }),
  }
}

function toBucketUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 's3:' || url.hostname === '') {
    throw invalid(field, 'is no address of a bucket', remedy)
  }
  if (url.username !== '' || url.password !== '') {
    const instead = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead'
    throw invalid(field, 'holds credentials', instead)
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name))
  if (unknown !== undefined) throw invalid(field, `does not know ${unknown}`, remedy)
  return url
}

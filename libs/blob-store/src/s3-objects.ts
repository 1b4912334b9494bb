import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { PlatformError } from '@sciencediscovery/kernel'
import { fromS3Error, isBeyondEnd } from './s3-errors.js'

/** Where the objects are and how patiently to ask. */
export interface S3Options {
  readonly bucket: string
  readonly region: string
  /** Of a store that is not AWS: `https://minio.example:9000`; the bucket is then part of the path. */
  readonly endpoint?: string
  /** The SDK's own chain (environment, pod identity) when not given. */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
  /** One request with its retries. Default 60 000. */
  readonly requestTimeoutMs?: number
  /** A connection that says nothing for this long is given up. Default 15 000. */
  readonly idleTimeoutMs?: number
  /** Tries per request. Default 5. */
  readonly maxAttempts?: number
}

/** The object's bytes from `offset` to before `end`. */
export interface ObjectRange {
  readonly offset: number
  readonly end: number | undefined
}

/** The few things a blob store asks of an object store. Every request has a deadline. */
export class S3Objects implements Disposable {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #timeoutMs: number

  constructor(options: S3Options) {
    this.#bucket = options.bucket
    this.#timeoutMs = options.requestTimeoutMs ?? 60_000
    this.#client = new S3Client({
      region: options.region,
      ...(options.endpoint === undefined
        ? {}
        : { endpoint: options.endpoint, forcePathStyle: true }),
      ...(options.credentials === undefined ? {} : { credentials: { ...options.credentials } }),
      maxAttempts: options.maxAttempts ?? 5,
      requestHandler: { connectionTimeout: 5_000, socketTimeout: options.idleTimeoutMs ?? 15_000 },
      // Stores other than AWS do not know the newer checksums; the bytes are checked by their digest.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    })
  }

  async put(key: string, content: Uint8Array, sha256: string): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: content,
      ContentLength: content.byteLength,
      ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
    })
    await this.#ask(key, (abortSignal) => this.#client.send(command, { abortSignal }))
  }

  /** The size; undefined when there is no such object. */
  async sizeOf(key: string): Promise<number | undefined> {
    try {
      const command = new HeadObjectCommand(this.#at(key))
      const { ContentLength } = await this.#ask(key, (abortSignal) =>
        this.#client.send(command, { abortSignal }),
      )
      return ContentLength ?? 0
    } catch (error) {
      const known = fromS3Error(error, key)
      if (known.code === 'not_found') return undefined
      throw known
    }
  }

  /** Copies the object onto itself: that is how its time is refreshed. */
  async touch(key: string): Promise<void> {
    const CopySource = `${this.#bucket}/${key}`
    const command = new CopyObjectCommand({
      ...this.#at(key),
      CopySource,
      MetadataDirective: 'REPLACE',
    })
    await this.#ask(key, (abortSignal) => this.#client.send(command, { abortSignal }))
  }

  /** The bytes as they come; undefined when the range begins after the end. */
  async get(key: string, { offset, end }: ObjectRange): Promise<Readable | undefined> {
    const isWhole = offset === 0 && end === undefined
    const Range = isWhole ? undefined : `bytes=${offset}-${end === undefined ? '' : end - 1}`
    const command = new GetObjectCommand({ ...this.#at(key), Range })
    try {
      const { Body } = await withDeadline(this.#timeoutMs, (abortSignal) =>
        this.#client.send(command, { abortSignal }),
      )
      if (Body instanceof Readable) return Body
    } catch (error) {
      if (isBeyondEnd(error)) return undefined
      throw fromS3Error(error, key)
    }
    throw new PlatformError('bug', `${key}: the object store sent no body`)
  }

  /** Uploads the parts in order as one object; nothing of them is left when one fails. */
  async putParts(key: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const create = new CreateMultipartUploadCommand(this.#at(key))
    const { UploadId } = await this.#ask(key, (abortSignal) =>
      this.#client.send(create, { abortSignal }),
    )
    const upload = { ...this.#at(key), UploadId }
    try {
      const Parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = []
      for await (const Body of parts) {
        const PartNumber = Parts.length + 1
        const command = new UploadPartCommand({
          ...upload,
          PartNumber,
          Body,
          ContentLength: Body.byteLength,
        })
        const { ETag } = await this.#ask(key, (abortSignal) =>
          this.#client.send(command, { abortSignal }),
        )
        Parts.push({ PartNumber, ETag })
      }
      const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
      await this.#ask(key, (abortSignal) => this.#client.send(complete, { abortSignal }))
    } catch (error) {
      const abort = new AbortMultipartUploadCommand(upload)
      // What the abort leaves behind the bucket's lifecycle rule removes; the first error is the one to tell.
      await this.#ask(key, (abortSignal) => this.#client.send(abort, { abortSignal })).catch(
        () => undefined,
      )
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
  }

  async #ask<R>(key: string, send: (signal: AbortSignal) => Promise<R>): Promise<R> {
    try {
      return await withDeadline(this.#timeoutMs, send)
    } catch (error) {
      throw fromS3Error(error, key)
    }
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: key }
  }
}

/** Up to the answer only: the body that follows has its own limit, and may be long. */
async function withDeadline<R>(
  timeoutMs: number,
  send: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const controller = new AbortController()
  const timer = setTimeout(() => {
    controller.abort()
  }, timeoutMs)
  try {
    return await send(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}

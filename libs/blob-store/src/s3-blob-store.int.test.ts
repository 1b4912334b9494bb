import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toPlatformError } from '@sciencediscovery/kernel'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createS3BlobStore, type S3BlobStore, type S3BlobStoreOptions } from './index.js'
import { blobStoreContract, patterned } from './testing/blob-store-contract.js'
import { type Fault, startS3StandIn, type S3StandIn } from './testing/s3-stand-in.js'

const mebibyte = 1024 * 1024
const hello = Buffer.from('hello')
const helloDigest = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const helloKey = `/blobs/some/where/2c/${helloDigest}`

let standIn: S3StandIn
let directory: string
const stores: S3BlobStore[] = []

const open = async (options: Partial<S3BlobStoreOptions> = {}): Promise<S3BlobStore> => {
  const store = await createS3BlobStore({
    endpoint: standIn.endpoint,
    bucket: 'blobs',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    prefix: 'some/where/',
    spoolDirectory: join(directory, 'spool'),
    ...options,
  })
  stores.push(store)
  return store
}
const failNext = (method: string, kind: Fault['kind'], times = 1) =>
  standIn.faults.push({ method, kind, times })
const collect = async (chunks: AsyncIterable<Uint8Array>) => {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-s3-'))
  standIn = await startS3StandIn()
})

afterEach(() => {
  standIn.faults.length = 0
  standIn.objects.clear()
})

afterAll(async () => {
  for (const store of stores) store[Symbol.dispose]()
  await standIn[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

blobStoreContract('a bucket', () => open())

describe('blobs in a bucket', () => {
  test('have the digest as their key, below the prefix', async () => {
    await (await open()).put(hello)
    expect([...standIn.objects.keys()]).toEqual([helloKey])
  })

  test('storing an existing small one refreshes its time', async () => {
    const store = await open()
    await store.put(hello)
    const before = standIn.objects.get(helloKey)!.modifiedAt
    await store.put(hello)
    expect(standIn.objects.get(helloKey)!.modifiedAt).toBeGreaterThan(before)
  })

  test('storing an existing large one copies it onto itself and sends nothing', async () => {
    const store = await open()
    const { digest } = await store.put(patterned(20 * mebibyte))
    standIn.requests.length = 0
    await store.put(patterned(20 * mebibyte))
    expect(standIn.requests).toEqual(['HEAD', 'PUT copy'])
    expect((await store.stat(digest))?.sizeBytes).toBe(20 * mebibyte)
  })

  test('a large stream goes in parts and leaves no spool file', async () => {
    const store = await open()
    standIn.requests.length = 0
    async function* stream() {
      for (let part = 0; part < 20; part++) yield await Promise.resolve(patterned(mebibyte, part))
    }
    await store.putStream(stream())
    expect(standIn.requests.filter((name) => name === 'PUT part')).toHaveLength(3)
    expect(await readdir(join(directory, 'spool'))).toEqual([])
  })

  test('an upload in parts that fails leaves no parts behind', async () => {
    const store = await open({ maxAttempts: 1 })
    failNext('PUT', 'slow-down', 1)
    await expect(store.put(patterned(20 * mebibyte))).rejects.toMatchObject({ code: 'unavailable' })
    expect(standIn.uploads.size).toBe(0)
    expect(standIn.objects.size).toBe(0)
  })

  test.each(['PUT', 'GET', 'HEAD'])('%s is asked again after 503 SlowDown', async (method) => {
    const store = await open()
    if (method !== 'PUT') await store.put(hello)
    failNext(method, 'slow-down', 2)
    if (method === 'PUT') await store.put(hello)
    else if (method === 'GET') expect(Buffer.from(await store.get(helloDigest))).toEqual(hello)
    else expect(await store.stat(helloDigest)).toEqual({ digest: helloDigest, sizeBytes: 5 })
  })

  test('a store that stays overloaded is unavailable with a delay', async () => {
    const store = await open({ maxAttempts: 2 })
    failNext('PUT', 'slow-down', 99)
    await expect(store.put(hello)).rejects.toMatchObject({
      code: 'unavailable',
      details: { retryAfterMs: 1_000 },
    })
  })

  test('a body that breaks off is taken up again where it broke', async () => {
    const store = await open()
    const bytes = patterned(6 * mebibyte)
    const { digest } = await store.put(bytes)
    failNext('GET', 'cut', 2)
    expect((await collect(store.read(digest))).equals(bytes)).toBe(true)
    failNext('GET', 'cut', 2)
    const part = await collect(store.read(digest, { offset: 1_000, length: 5_000_000 }))
    expect(part.equals(bytes.subarray(1_000, 5_001_000))).toBe(true)
  })

  test('a connection that goes silent inside a body is given up and taken up again', async () => {
    const store = await open({ idleTimeoutMs: 200 })
    const bytes = patterned(2 * mebibyte)
    const { digest } = await store.put(bytes)
    failNext('GET', 'stall')
    expect((await collect(store.read(digest))).equals(bytes)).toBe(true)
  })

  test('a body that ends early without an error is seen by its digest', async () => {
    const store = await open()
    const { digest } = await store.put(patterned(mebibyte))
    const damaged = { code: 'bug', details: { reason: 'blob_damaged' } }
    failNext('GET', 'short', 3)
    await expect(store.get(digest)).rejects.toMatchObject(damaged)
    await expect(collect(store.read(digest))).rejects.toMatchObject(damaged)
    await expect(store.copyToFile(digest, join(directory, 'copy'), 0o600)).rejects.toMatchObject(
      damaged,
    )
    await expect(stat(join(directory, 'copy'))).rejects.toThrow('ENOENT')
  })

  test('refused credentials are unavailable and name the remedy', async () => {
    const store = await open()
    failNext('PUT', 'forbidden')
    const refusal = await store.put(hello).then(() => undefined, toPlatformError)
    expect(refusal?.code).toBe('unavailable')
    expect(refusal?.details.remedy).toContain('credentials')
  })

  test('a store that cannot be reached is unavailable', async () => {
    const store = await open({ endpoint: 'http://127.0.0.1:1', maxAttempts: 1 })
    await expect(store.put(hello)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(store.stat(helloDigest)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BlobStore } from '../blob-store.js'

const mebibyte = 1024 * 1024
const hello = Buffer.from('hello')
const helloDigest = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const emptyDigest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const absent = '0'.repeat(64)

/** Bytes that differ from place to place, so that a part taken from the wrong place shows. */
export const patterned = (sizeBytes: number, seed = 7): Buffer => {
  const bytes = Buffer.alloc(sizeBytes)
  for (let at = 0; at + 4 <= sizeBytes; at += 4)
    bytes.writeUInt32LE((at * 2654435761 + seed) >>> 0, at)
  return bytes
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function* inChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) {
    yield await Promise.resolve(bytes.subarray(at, at + chunkBytes))
  }
}

/** The store under test and a directory of the test's own. */
interface Subject {
  readonly store: () => BlobStore
  readonly path: (file: string) => string
}

function storing({ store, path }: Subject): void {
  test('gives back what was put, by its digest', async () => {
    expect(await store().put(hello)).toEqual({ digest: helloDigest, sizeBytes: 5 })
    expect(Buffer.from(await store().get(helloDigest))).toEqual(hello)
    expect(await store().stat(helloDigest)).toEqual({ digest: helloDigest, sizeBytes: 5 })
  })

  test('keeps an empty blob', async () => {
    expect(await store().put(new Uint8Array())).toEqual({ digest: emptyDigest, sizeBytes: 0 })
    expect(await collect(store().read(emptyDigest))).toHaveLength(0)
    expect(await store().stat(emptyDigest)).toEqual({ digest: emptyDigest, sizeBytes: 0 })
  })

  test('the same content from many at once is one blob', async () => {
    const bytes = patterned(5000, 99)
    const stats = await Promise.all(Array.from({ length: 20 }, () => store().put(bytes)))
    expect(new Set(stats.map(({ digest }) => digest))).toEqual(new Set([sha256(bytes)]))
    expect(Buffer.from(await store().get(sha256(bytes)))).toEqual(bytes)
  })

  test.each(['', '../../etc/passwd', 'A'.repeat(64), `${absent}\n`])(
    'a digest %j is invalid',
    async (digest) => {
      const wrong = { code: 'invalid', details: { field: 'digest' } }
      await expect(store().get(digest)).rejects.toMatchObject(wrong)
      await expect(store().stat(digest)).rejects.toMatchObject(wrong)
      await expect(store().copyToFile(digest, path('x'), 0o600)).rejects.toMatchObject(wrong)
    },
  )
}

function streaming({ store }: Subject): void {
  test.each([1, 5, 17, 40])('a stream of %s MiB comes back whole', async (size) => {
    const bytes = patterned(size * mebibyte + 3)
    const blob = await store().putStream(inChunks(bytes, 700_001))
    expect(blob).toEqual({ digest: sha256(bytes), sizeBytes: bytes.byteLength })
    expect((await collect(store().read(blob.digest))).equals(bytes)).toBe(true)
  })

  test('a stream over the limit is refused with exhausted and leaves nothing', async () => {
    const bytes = patterned(3 * mebibyte, 1)
    const putting = store().putStream(inChunks(bytes, mebibyte), { maxBytes: 2 * mebibyte })
    await expect(putting).rejects.toMatchObject({
      code: 'exhausted',
      details: { reason: 'too_large' },
    })
    expect(await store().stat(sha256(bytes))).toBeUndefined()
  })

  test('a stream of exactly the limit is taken', async () => {
    const bytes = patterned(2000, 2)
    const blob = await store().putStream(inChunks(bytes, 900), { maxBytes: 2000 })
    expect(blob.sizeBytes).toBe(2000)
  })

  test('a stream that fails is not stored and its error comes through', async () => {
    async function* failing() {
      yield await Promise.resolve(hello)
      throw new Error('source broke')
    }
    await expect(store().putStream(failing())).rejects.toThrow('source broke')
  })

  test('a stream is stored in constant memory', async () => {
    const chunk = patterned(mebibyte, 5)
    let peakBytes = 0
    const before = process.memoryUsage().arrayBuffers
    async function* large() {
      for (let sent = 0; sent < 192; sent++) {
        peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers - before)
        yield await Promise.resolve(chunk)
      }
    }
    const blob = await store().putStream(large())
    expect(blob.sizeBytes).toBe(192 * mebibyte)
    expect(peakBytes).toBeLessThan(80 * mebibyte)
  })
}

function reading({ store, path }: Subject): void {
  test('reads a part', async () => {
    const bytes = patterned(3 * mebibyte, 3)
    const { digest } = await store().put(bytes)
    const part = (range: { offset?: number; length?: number }) =>
      collect(store().read(digest, range))
    expect(
      (await part({ offset: 1_000_001, length: 1_500_000 })).equals(
        bytes.subarray(1_000_001, 2_500_001),
      ),
    ).toBe(true)
    expect((await part({ offset: 3 * mebibyte - 5 })).equals(bytes.subarray(-5))).toBe(true)
    expect((await part({ length: 4 })).equals(bytes.subarray(0, 4))).toBe(true)
    expect(await part({ offset: 5, length: 0 })).toHaveLength(0)
    expect(await part({ offset: 3 * mebibyte })).toHaveLength(0)
    expect(await part({ offset: 9 * mebibyte, length: 10 })).toHaveLength(0)
    expect(await part({ offset: 3 * mebibyte - 2, length: 10 })).toHaveLength(2)
  })

  test.each([{ offset: -1 }, { length: -1 }, { offset: 0.5 }])(
    'a range of %o is invalid',
    async (range) => {
      const field = Object.keys(range)[0]
      await expect(collect(store().read(helloDigest, range))).rejects.toMatchObject({
        code: 'invalid',
        details: { field },
      })
    },
  )

  test('a missing blob is not_found, and undefined for stat', async () => {
    await expect(store().get(absent)).rejects.toMatchObject({ code: 'not_found' })
    await expect(collect(store().read(absent))).rejects.toMatchObject({ code: 'not_found' })
    await expect(collect(store().read(absent, { offset: 3 }))).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(store().copyToFile(absent, path('absent'), 0o600)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(stat(path('absent'))).rejects.toThrow('ENOENT')
    expect(await store().stat(absent)).toBeUndefined()
  })
}

function filing({ store, path }: Subject): void {
  test.each([0, 12, 3 * mebibyte, 20 * mebibyte])(
    'takes over a file of %s bytes and leaves it as it is',
    async (size) => {
      const bytes = patterned(size, 4)
      const file = path(`file-${size}`)
      await writeFile(file, bytes)
      const blob = await store().putFile(file)
      expect(blob).toEqual({ digest: sha256(bytes), sizeBytes: size })
      await writeFile(file, 'changed later')
      expect((await collect(store().read(blob.digest))).equals(bytes)).toBe(true)
    },
  )

  test('a link, a directory and a missing file are refused', async () => {
    await symlink('/etc/hostname', path('link'))
    await expect(store().putFile(path('link'))).rejects.toMatchObject({ code: 'invalid' })
    await expect(store().putFile(path('.'))).rejects.toMatchObject({ code: 'invalid' })
    await expect(store().putFile(path('nothing'))).rejects.toMatchObject({ code: 'not_found' })
    await expect(store().putFile(path('nul\u0000'))).rejects.toMatchObject({ code: 'invalid' })
  })

  test('makes a file with exactly the mode, once', async () => {
    const { digest } = await store().put(hello)
    await store().copyToFile(digest, path('made'), 0o751)
    expect(await readFile(path('made'), 'utf8')).toBe('hello')
    expect((await stat(path('made'))).mode & 0o7777).toBe(0o751)
    await expect(store().copyToFile(digest, path('made'), 0o600)).rejects.toMatchObject({
      code: 'already_exists',
    })
  })

  test('does not write through a link that waits at the path', async () => {
    const { digest } = await store().put(hello)
    await symlink(path('elsewhere'), path('trap'))
    await expect(store().copyToFile(digest, path('trap'), 0o600)).rejects.toMatchObject({
      code: 'already_exists',
    })
    await expect(stat(path('elsewhere'))).rejects.toThrow('ENOENT')
  })
}

function many({ store, path }: Subject): void {
  test.each([3, 100])('stores %s bytes and files at once, in their order', async (count) => {
    await writeFile(path('one-of-many'), 'from a file')
    const contents = Array.from({ length: count }, (_, number) =>
      Buffer.from(`content ${number % 90}`),
    )
    const blobs = await store().putMany([...contents, { path: path('one-of-many') }])
    expect(blobs.map(({ digest }) => digest)).toEqual(
      [...contents, Buffer.from('from a file')].map(sha256),
    )
    for (const { digest } of blobs) expect(sha256(await store().get(digest))).toBe(digest)
  })

  test('many at once with one bad among them fail, naming it', async () => {
    const good = Array.from({ length: 70 }, (_, number) => Buffer.from(`good ${number}`))
    await expect(store().putMany([...good, { path: path('gone') }])).rejects.toMatchObject({
      code: 'not_found',
    })
  })
}

/** What every blob store must keep. */
export function blobStoreContract(name: string, create: () => Promise<BlobStore>): void {
  describe(`blob store in ${name}`, () => {
    let store: BlobStore
    let directory: string

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'scid-blobs-'))
      store = await create()
    })

    afterAll(() => rm(directory, { recursive: true, force: true }))

    const subject = { store: () => store, path: (file: string) => join(directory, file) }
    for (const part of [storing, streaming, reading, filing, many]) part(subject)
  })
}

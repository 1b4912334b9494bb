import { execFile } from 'node:child_process'
import {
  chmod,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDirectoryBlobStore } from './index.js'
import { blobStoreContract } from './testing/blob-store-contract.js'

const run = promisify(execFile)
const hello = Buffer.from('hello')
const helloDigest = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'

let root: string
const inRoot = (name: string) => join(root, name)
const blobPath = (directory: string, digest: string) =>
  join(inRoot(directory), digest.slice(0, 2), digest)
const open = (name: string) => createDirectoryBlobStore({ directory: inRoot(name) })

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'scid-blob-directory-'))
})

afterAll(() => rm(root, { recursive: true, force: true }))

blobStoreContract('a directory', () => open('contract'))
blobStoreContract('a directory without syncs', () =>
  createDirectoryBlobStore({ directory: inRoot('unsynced'), fsync: false }),
)

describe('blob directory', () => {
  test('files a blob under the first two digits, read-only', async () => {
    const store = await open('layout')
    await store.put(hello)
    const file = blobPath('layout', helloDigest)
    expect(await readFile(file, 'utf8')).toBe('hello')
    expect((await stat(file)).mode & 0o222).toBe(0)
    expect(await readdir(inRoot('layout/tmp'))).toEqual([])
  })

  test.each(['bytes', 'many bytes', 'a file', 'a stream'])(
    'storing an existing blob as %s refreshes its time',
    async (how) => {
      const store = await open('refreshed')
      await store.put(hello)
      const file = blobPath('refreshed', helloDigest)
      await utimes(file, 1_000, 1_000)
      await writeFile(inRoot('hello.txt'), hello)
      async function* stream() {
        yield await Promise.resolve(hello)
      }
      if (how === 'bytes') await store.put(hello)
      else if (how === 'many bytes') await store.putMany(Array.from({ length: 80 }, () => hello))
      else if (how === 'a file') await store.putFile(inRoot('hello.txt'))
      else await store.putStream(stream())
      expect((await stat(file)).mtimeMs).toBeGreaterThan(1_000_000_000_000)
      expect(await readdir(inRoot('refreshed/tmp'))).toEqual([])
    },
  )

  test('a blob whose bytes were changed is a bug when read, and makes no file', async () => {
    const store = await open('damaged')
    await store.put(hello)
    const file = blobPath('damaged', helloDigest)
    await chmod(file, 0o600)
    await writeFile(file, 'hellO')
    const wrong = { code: 'bug', details: { reason: 'blob_damaged' } }
    await expect(store.get(helloDigest)).rejects.toMatchObject(wrong)
    await expect(store.copyToFile(helloDigest, inRoot('copy'), 0o600)).rejects.toMatchObject(wrong)
    await expect(stat(inRoot('copy'))).rejects.toThrow('ENOENT')
  })

  test('a blob that was cut is written again by the next put', async () => {
    const store = await open('cut')
    await store.put(hello)
    await chmod(blobPath('cut', helloDigest), 0o600)
    await truncate(blobPath('cut', helloDigest), 2)
    await store.put(hello)
    expect(Buffer.from(await store.get(helloDigest))).toEqual(hello)
  })

  test('a failed stream leaves no temporary file', async () => {
    const store = await open('failed')
    async function* failing() {
      yield await Promise.resolve(hello)
      throw new Error('source broke')
    }
    await expect(store.putStream(failing())).rejects.toThrow('source broke')
    await expect(
      store.putMany([...Array.from({ length: 70 }, () => hello), { path: '/nothing' }]),
    ).rejects.toThrow()
    expect(await readdir(inRoot('failed/tmp'))).toEqual([])
  })

  test('opening removes what crashed writers left a day ago, not what is being written', async () => {
    await open('leftovers')
    await writeFile(inRoot('leftovers/tmp/old'), 'x')
    await writeFile(inRoot('leftovers/tmp/new'), 'x')
    await utimes(inRoot('leftovers/tmp/old'), 1_000, 1_000)
    await open('leftovers')
    expect(await readdir(inRoot('leftovers/tmp'))).toEqual(['new'])
  })

  test('reading a source leaves its access time as it was', async () => {
    const store = await open('atime')
    const file = inRoot('source.txt')
    await writeFile(file, 'evidence')
    await utimes(file, 0, new Date())
    await store.putFile(file)
    expect((await stat(file)).atimeMs).toBe(0)
  })

  test('a pipe is refused and does not block', async () => {
    const store = await open('pipe')
    await run('mkfifo', [inRoot('fifo')])
    await expect(store.putFile(inRoot('fifo'))).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'path' },
    })
  })
})

import { describe, expect, test } from 'vitest'
import { digestOf, isDigest, verified } from './digest.js'

async function* of(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text))
}
const drain = async (chunks: AsyncIterable<Uint8Array>) => {
  let sizeBytes = 0
  for await (const chunk of chunks) sizeBytes += chunk.byteLength
  return sizeBytes
}

describe('digest', () => {
  test('is SHA-256 in lower-case hex', () => {
    expect(digestOf(Buffer.from('hello'))).toBe(
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    )
    expect(isDigest(digestOf(new Uint8Array()))).toBe(true)
  })

  test.each([
    '',
    'abc',
    'G'.repeat(64),
    'A'.repeat(64),
    '0'.repeat(63),
    `${'0'.repeat(64)}\n`,
    `../${'0'.repeat(61)}`,
  ])('%j is none', (text) => {
    expect(isDigest(text)).toBe(false)
  })

  test('a stream that matches passes, another one fails at its end', async () => {
    expect(await drain(verified(digestOf(Buffer.from('hello')), of('hello')))).toBe(5)
    await expect(
      drain(verified(digestOf(Buffer.from('hello')), of('hellO'))),
    ).rejects.toMatchObject({ code: 'bug' })
  })
})

import { describe, expect, test } from 'vitest'
import { partsOf } from './parts.js'

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield await Promise.resolve(Buffer.alloc(size, size))
}

const sizesOf = async (sizes: number[], partBytes: number) => {
  const parts: number[] = []
  for await (const part of partsOf(chunks(...sizes), partBytes)) parts.push(part.byteLength)
  return parts
}

describe('parts', () => {
  test.each([
    [[3, 3, 3], 5, [5, 4]],
    [[10], 5, [5, 5]],
    [[5], 5, [5]],
    [[4], 5, [4]],
    [[], 5, []],
    [[0, 0], 5, []],
    [[1, 12, 1], 5, [5, 5, 4]],
  ])('of chunks %j are exactly %i bytes but the last', async (sizes, partBytes, expected) => {
    expect(await sizesOf(sizes, partBytes)).toEqual(expected)
  })

  test('keep the bytes when the source uses its buffer again', async () => {
    const buffer = Buffer.alloc(2)
    async function* reusing() {
      for (const value of [1, 2, 3]) yield await Promise.resolve(buffer.fill(value))
    }
    const parts = []
    for await (const part of partsOf(reusing(), 100)) parts.push(Buffer.from(part).toString('hex'))
    expect(parts).toEqual(['010102020303'])
  })
})

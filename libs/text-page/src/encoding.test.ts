import { describe, expect, test } from 'vitest'
import { encodingOf } from './encoding.js'
import { openText } from './open-text.js'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

describe('encoding', () => {
  test('BR-008: UTF-8 with and without BOM and UTF-16 with BOM are text', () => {
    expect(encodingOf(bytes('efbbbf6964'))).toEqual({ name: 'utf-8', bomBytes: 3 })
    expect(encodingOf(bytes(''))).toEqual({ name: 'utf-8', bomBytes: 0 })
    expect(encodingOf(bytes('fffe77006500'))).toEqual({ name: 'utf-16le', bomBytes: 2 })
    expect(encodingOf(bytes('feff00770065'))).toEqual({ name: 'utf-16be', bomBytes: 2 })
  })

  test('BR-008, S-02: a NUL, or bytes of no encoding, are binary', () => {
    expect(encodingOf(bytes('610062'))).toBeUndefined()
    expect(encodingOf(bytes('b04320'))).toBeUndefined()
    expect(encodingOf(bytes('61e8b4'))).toBeUndefined()
    expect(encodingOf(bytes('fffe0000'))).toBeUndefined()
    expect(encodingOf(bytes('fffe00d8'))).toBeUndefined()
  })

  test('S-02: a character cut by the end of the sample is still text', () => {
    expect(encodingOf(Buffer.from(`${'a'.repeat(8190)}质`))?.name).toBe('utf-8')
  })

  test('content that is not read on is given back', async () => {
    const seen: string[] = []
    async function* content(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield await Promise.resolve(new Uint8Array(4096))
      } finally {
        seen.push('closed')
      }
    }
    const { encoding, head, close } = await openText(content())
    await close()
    expect([encoding, head.length, seen]).toEqual([undefined, 8192, ['closed']])
  })
})

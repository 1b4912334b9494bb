import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openText } from './open-text.js'
import { type LinePage, type LineRange, readLinePage } from './line-page.js'

async function* pieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield await Promise.resolve(bytes.subarray(at, at + pieceBytes))
  }
}

interface Reading extends Partial<LineRange> {
  readonly maxBytes?: number
  readonly pieceBytes?: number
}

async function pageOf(content: string | Uint8Array, reading: Reading = {}): Promise<LinePage> {
  const { maxBytes, pieceBytes = 7, ...range } = reading
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const { utf8 } = await openText(pieces(bytes, pieceBytes))
  return readLinePage(utf8, { offset: 1, limit: 2000, charOffset: 0, ...range }, maxBytes)
}

async function allPages(content: Uint8Array, reading: Reading): Promise<readonly LinePage[]> {
  const pages: LinePage[] = []
  for (let place = { offset: 1, charOffset: 0 }; ;) {
    const page = await pageOf(content, { ...reading, ...place })
    pages.push(page)
    if (!page.hasMore) return pages
    place = { offset: page.nextOffset, charOffset: page.nextCharOffset }
  }
}

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

describe('line page', () => {
  test('S-02: a small text comes back whole, line ends included', async () => {
    expect(await pageOf('a\r\nb\n\nc')).toEqual({
      content: 'a\r\nb\n\nc',
      ...{ startLine: 1, endLine: 4, totalLines: 4, hasMore: false },
      ...{ nextOffset: 0, nextCharOffset: 0, partialLine: false },
    })
  })

  test('S-02: lines and bytes bound a page, and it says where to go on', async () => {
    const two = { content: 'line 1\nline 2\n', endLine: 2, hasMore: true, nextOffset: 3 }
    expect(await pageOf(ten, { limit: 2 })).toMatchObject(two)
    expect(await pageOf(ten, { maxBytes: 20 })).toMatchObject({ ...two, partialLine: false })
  })

  test('BR-012: the last line is the end: no 11th line and no further offset', async () => {
    const end = { endLine: 10, totalLines: 10, hasMore: false, nextOffset: 0 }
    expect(await pageOf(ten, { offset: 6 })).toMatchObject({ startLine: 6, ...end })
    expect(await pageOf(ten, { offset: 10, limit: 1 })).toMatchObject(end)
  })

  test('BR-012: past the end there is nothing, with the number of lines', async () => {
    const past = { content: '', startLine: 0, endLine: 0, totalLines: 10, hasMore: false }
    expect(await pageOf(ten, { offset: 11 })).toMatchObject(past)
    expect(await pageOf(ten, { offset: 1201 })).toMatchObject(past)
    expect(await pageOf('')).toMatchObject({ content: '', totalLines: 0, hasMore: false })
  })

  test('S-02: a line over the limit is cut between characters and counted in characters', async () => {
    expect(await pageOf('µµµµµ\n', { maxBytes: 5 })).toMatchObject({
      content: 'µµ',
      ...{ partialLine: true, hasMore: true, nextOffset: 1, nextCharOffset: 2, totalLines: 1 },
    })
    expect(await pageOf('😀😀😀', { maxBytes: 9 })).toMatchObject({
      content: '😀😀',
      nextCharOffset: 2,
    })
  })

  test('more characters to skip than the line has leave its line end', async () => {
    expect((await pageOf('abc\ndef\n', { charOffset: 99 })).content).toBe('\ndef\n')
  })

  test('bytes that are not UTF-8 behind the sample are shown as U+FFFD', async () => {
    const bytes = Buffer.concat([Buffer.from('x'.repeat(9_000)), Buffer.from([0xe9, 0x0a])])
    expect((await pageOf(bytes)).content.endsWith('x\ufffd\n')).toBe(true)
  })

  const part = fc.constantFrom(
    'a',
    'é',
    '质',
    '😀',
    '\n',
    '\r\n',
    '\r',
    '\ufeff',
    'word ',
    ' '.repeat(30),
  )
  const texts = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(''))
  const encodings = fc.constantFrom<(text: string) => Uint8Array>(
    (text) => Buffer.from(text),
    (text) => Buffer.from(`\ufeff${text}`),
    (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  )

  test('S-02: next, followed from the first page, gives exactly the text in any encoding', async () => {
    await fc.assert(
      fc.asyncProperty(
        texts.filter((text) => !text.startsWith('\ufeff')),
        encodings,
        fc.record({
          maxBytes: fc.integer({ min: 4, max: 40 }),
          limit: fc.integer({ min: 1, max: 5 }),
          pieceBytes: fc.integer({ min: 1, max: 50 }),
        }),
        async (text, encode, reading) => {
          const pages = await allPages(encode(text), reading)
          expect(pages.map(({ content }) => content).join('')).toBe(text)
          for (const { content, totalLines } of pages) {
            expect(Buffer.byteLength(content)).toBeLessThanOrEqual(reading.maxBytes)
            expect(totalLines).toBe(text.split('\n').length - (/(^|\n)$/.test(text) ? 1 : 0))
          }
        },
      ),
      { seed: 20261201, numRuns: 500 },
    )
  })

  test('S-02: a page behind 256 MiB of one line is read in little memory', async () => {
    const piece = Buffer.from('0123456789abcdef'.repeat(64 * 1024))
    async function* long(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 256; count += 1) yield await Promise.resolve(piece)
    }
    const { utf8 } = await openText(long())
    const before = process.memoryUsage().arrayBuffers
    const charOffset = 200 * 1024 * 1024
    const page = await readLinePage(utf8, { offset: 1, limit: 1, charOffset })
    expect(page).toMatchObject({ partialLine: true, nextCharOffset: charOffset + 40 * 1024 })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })
})

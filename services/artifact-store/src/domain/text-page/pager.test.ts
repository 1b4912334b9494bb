import { describe, expect, test } from 'vitest'
import { encodingOf } from './encoding.js'
import { type Page, type PageRange, Pager, pageBytes } from './pager.js'

function pageOf(text: string, range: Partial<PageRange> = {}, pieceLength = 7): Page {
  const pager = new Pager({ offset: 1, limit: 2000, charOffset: 0, ...range })
  for (let at = 0; at < text.length; at += pieceLength) pager.push(text.slice(at, at + pieceLength))
  return pager.end()
}

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

describe('text page', () => {
  test('S-05 a small text comes back whole, line ends included', () => {
    const page = pageOf('a\r\nb\n\nc')
    expect(page).toEqual({
      content: 'a\r\nb\n\nc',
      startLine: 1,
      endLine: 4,
      totalLines: 4,
      hasMore: false,
      nextOffset: 0,
      nextCharOffset: 0,
      partialLine: false,
    })
  })

  test('a limit ends the page and says where to go on', () => {
    const page = pageOf(ten, { offset: 3, limit: 2 })
    expect(page).toMatchObject({ content: 'line 3\nline 4\n', startLine: 3, endLine: 4 })
    expect(page).toMatchObject({ hasMore: true, nextOffset: 5, nextCharOffset: 0, totalLines: 10 })
  })

  test('BR-012 the last line is the end: no 11th line and no further offset', () => {
    expect(pageOf(ten, { offset: 6 })).toMatchObject({ endLine: 10, hasMore: false, nextOffset: 0 })
    expect(pageOf(ten, { offset: 10, limit: 1 })).toMatchObject({ endLine: 10, hasMore: false })
  })

  test.each([11, 1200])(
    'BR-012 offset %i after the end is an empty page with the line count',
    (offset) => {
      const empty = { content: '', startLine: 0, endLine: 0, totalLines: 10, hasMore: false }
      expect(pageOf(ten, { offset })).toMatchObject(empty)
    },
  )

  test('BR-012 an empty text has no lines', () => {
    expect(pageOf('')).toMatchObject({ content: '', startLine: 0, totalLines: 0, hasMore: false })
  })

  test('a line that does not fit any more starts the next page', () => {
    const text = `${'x'.repeat(pageBytes - 10)}\n${'y'.repeat(20)}\n`
    const page = pageOf(text, {}, 999)
    expect(page).toMatchObject({ endLine: 1, hasMore: true, nextOffset: 2, partialLine: false })
  })

  test('S-02 a line over 40 KiB is read in parts that join to the same text', () => {
    const text = `${'质'.repeat(30_000)}😀${'z'.repeat(50_000)}\nend\n`
    let joined = ''
    let range: PageRange = { offset: 1, limit: 2000, charOffset: 0 }
    for (let rounds = 0; rounds < 10; rounds += 1) {
      const page = pageOf(text, range, 1000)
      joined += page.content
      if (!page.hasMore) break
      range = { ...range, offset: page.nextOffset, charOffset: page.nextCharOffset }
    }
    expect(joined).toBe(text)
  })

  test('a part of a long line names the line it stopped in', () => {
    const page = pageOf(`first\n${'x'.repeat(100_000)}`, { offset: 2 }, 1000)
    expect(page).toMatchObject({ partialLine: true, startLine: 2, endLine: 2, totalLines: 2 })
    expect(page).toMatchObject({ nextOffset: 2, nextCharOffset: pageBytes })
  })
})

describe('encoding', () => {
  const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

  test('BR-008 UTF-8 with and without BOM and UTF-16 with BOM are text', () => {
    expect(encodingOf(bytes('efbbbf6964'))).toBe('utf-8')
    expect(encodingOf(bytes(''))).toBe('utf-8')
    expect(encodingOf(bytes('fffe77006500'))).toBe('utf-16le')
    expect(encodingOf(bytes('feff00770065'))).toBe('utf-16be')
  })

  test('BR-008 a NUL, or bytes that are not UTF-8, are binary', () => {
    expect(encodingOf(bytes('610062'))).toBeUndefined()
    expect(encodingOf(bytes('b04320'))).toBeUndefined()
    expect(encodingOf(bytes('61e8b4'))).toBeUndefined()
  })

  test('a character cut by the end of the probe is still text', () => {
    expect(encodingOf(Buffer.from(`${'a'.repeat(8190)}质`))).toBe('utf-8')
  })
})

import { describe, expect, test } from 'vitest'
import { PageReader } from './page-reader.js'

function page(
  text: string,
  range: { offset?: number; limit?: number; charOffset?: number },
  max = 40,
  chunk = 7,
) {
  const reader = new PageReader({ offset: 1, limit: 2000, charOffset: 0, ...range }, max)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunk) reader.add(bytes.subarray(at, at + chunk))
  const { bytes: content, ...rest } = reader.finish()
  return { content: content.toString(), ...rest }
}

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

describe('page reader', () => {
  test('BR-012: the last page has no further offset, and the final newline is no line', () => {
    expect(page(ten, { offset: 6 }, 1000)).toMatchObject({
      content: 'line 6\nline 7\nline 8\nline 9\nline 10\n',
      ...{ startLine: 6, endLine: 10, totalLines: 10, hasMore: false, nextOffset: 0 },
    })
  })

  test('BR-012: past the end there is nothing, with the number of lines', () => {
    const past = { content: '', startLine: 0, endLine: 0, totalLines: 10, hasMore: false }
    expect(page(ten, { offset: 11 })).toMatchObject(past)
    expect(page(ten, { offset: 1201 })).toMatchObject(past)
    expect(page('', {})).toMatchObject({ content: '', totalLines: 0, startLine: 0 })
  })

  test('S-02: lines and bytes bound a page, and it says where to go on', () => {
    expect(page(ten, { limit: 2 }, 1000)).toMatchObject({
      content: 'line 1\nline 2\n',
      ...{ endLine: 2, hasMore: true, nextOffset: 3, partialLine: false },
    })
    expect(page(ten, {}, 20)).toMatchObject({
      content: 'line 1\nline 2\n',
      ...{ endLine: 2, hasMore: true, nextOffset: 3, partialLine: false },
    })
  })

  test('S-02: pages put together are the file, whatever the chunks', () => {
    const text = `short\n${'µ'.repeat(50)}\nlast`
    for (const chunk of [1, 3, 64]) {
      let whole = ''
      for (let next = { offset: 1, charOffset: 0 }, more = true; more;) {
        const part = page(text, next, 17, chunk)
        whole += part.content
        more = part.hasMore
        next = { offset: part.nextOffset, charOffset: part.nextCharOffset }
      }
      expect(whole).toBe(text)
    }
  })

  test('S-02: a line over the limit is cut between characters', () => {
    expect(page('µµµµµ\n', {}, 5)).toMatchObject({
      content: 'µµ',
      ...{ partialLine: true, hasMore: true, nextOffset: 1, nextCharOffset: 2, totalLines: 1 },
    })
  })
})

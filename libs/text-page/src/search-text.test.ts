import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCharPage } from './char-page.js'
import { type TextSearch, searchText } from './search-text.js'

async function* pieces(text: string, pieceBytes = 5): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield await Promise.resolve(bytes.subarray(at, at + pieceBytes))
  }
}

const find = (text: string, search: Partial<TextSearch>, maxBytes?: number) =>
  searchText(
    pieces(text),
    { query: 'x', caseSensitive: false, contextChars: 3, matchOffset: 0, maxMatches: 5, ...search },
    maxBytes,
  )

describe('character page', () => {
  test('S-19: characters are code points, and none is split', async () => {
    const page = await readCharPage(pieces('a😀质b'), { charOffset: 1, charLimit: 2 })
    expect(page).toEqual({
      ...{ content: '😀质', charOffset: 1, chars: 2, totalChars: 4 },
      ...{ hasMore: true, nextCharOffset: 3 },
    })
  })

  test('S-19: next, followed from the first page, gives exactly the text', async () => {
    const part = fc.constantFrom('a', 'é', '质', '😀', '\n', 'word ')
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
        fc.record({
          charLimit: fc.integer({ min: 1, max: 9 }),
          max: fc.integer({ min: 4, max: 20 }),
        }),
        async (text, { charLimit, max }) => {
          let whole = ''
          for (let charOffset = 0, more = true; more;) {
            const page = await readCharPage(pieces(text), { charOffset, charLimit }, max)
            whole += page.content
            more = page.hasMore
            charOffset = page.nextCharOffset
          }
          expect(whole).toBe(text)
        },
      ),
      { seed: 20261201, numRuns: 300 },
    )
  })
})

describe('search', () => {
  test('S-19: matches come with their place and their neighbours', async () => {
    const { matches, totalMatches } = await find('😀b\nsome Needle here needle', {
      query: 'needle',
    })
    expect(totalMatches).toBe(2)
    expect(matches[0]).toEqual({
      charOffset: 8,
      line: 2,
      before: 'me ',
      match: 'Needle',
      after: ' he',
    })
    expect(matches[1]).toMatchObject({ charOffset: 20, before: 're ', after: '' })
  })

  test('S-19: case counts when it shall, and no character of the query has a meaning', async () => {
    expect((await find('A.a', { query: 'a', caseSensitive: true })).totalMatches).toBe(1)
    expect((await find('a.b axb', { query: 'a.b' })).totalMatches).toBe(1)
    const odd = '\\ ^ $ . * + ? ( ) [ ] { } | / -'
    expect((await find(`<${odd}>`, { query: odd })).totalMatches).toBe(1)
  })

  test('S-19: matches are limited, counted, and can be gone on with', async () => {
    const text = Array.from({ length: 12 }, (_, at) => `x${at} `).join('')
    const first = await find(text, {})
    expect([first.matches.length, first.totalMatches, first.hasMore]).toEqual([5, 12, true])
    const last = await find(text, { matchOffset: 10 })
    expect(last.matches.map(({ charOffset }) => text[charOffset + 1])).toEqual(['1', '1'])
    expect(last.hasMore).toBe(false)
  })

  test('S-19: a page of matches stays below its size', async () => {
    const text = `${'a'.repeat(40)}x`.repeat(5)
    const { matches, hasMore } = await find(text, { contextChars: 30 }, 100)
    expect([matches.length, hasMore]).toEqual([1, true])
    const tight = await find(`${'质'.repeat(40)}x${'质'.repeat(40)}`, { contextChars: 30 }, 61)
    expect(tight.matches[0]).toMatchObject({ before: '质'.repeat(10), after: '质'.repeat(10) })
  })

  test('S-19: a match at every place of a long text is found once, whatever the windows', async () => {
    const line = `${'.'.repeat(997)}αβ\n`
    async function* long(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 2_000; at += 1) yield await Promise.resolve(Buffer.from(line))
    }
    const { matches, totalMatches } = await searchText(long(), {
      ...{ query: 'αβ', caseSensitive: false, contextChars: 2 },
      ...{ matchOffset: 1_990, maxMatches: 1 },
    })
    expect(totalMatches).toBe(2_000)
    const charOffset = 1_990 * 1_000 + 997
    expect(matches).toEqual([{ charOffset, line: 1_991, before: '..', match: 'αβ', after: '\n.' }])
  })

  test('S-19: matches do not overlap where windows meet, and no character is counted twice', async () => {
    const search = { contextChars: 1, maxMatches: 1, matchOffset: 0 }
    const letters = await searchText(pieces('a'.repeat(1_000_000), 4_001), {
      ...{ ...search, query: 'aaa', caseSensitive: true },
    })
    expect(letters.totalMatches).toBe(333_333)
    const faces = await searchText(pieces(`x${'😀'.repeat(400_000)}end`, 4_001), {
      ...{ ...search, query: 'end', caseSensitive: true },
    })
    expect(faces.matches[0]).toMatchObject({ charOffset: 400_001, before: '😀' })
  })
})

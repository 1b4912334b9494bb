import { describe, expect, test } from 'vitest'
import { looksOf, spellingOf } from './look-alike.js'

describe('look-alike names', () => {
  test.each([
    ['Messung_\u00e4.csv', 'Messung_a\u0308.csv', 'the name on disk has U+00E4'],
    ['Messung_a\u0308.csv', 'Messung_\u00e4.csv', 'the name on disk has U+0308'],
    ['plate\u00a03.png', 'plate 3.png', 'the name on disk has U+00A0'],
    ['shot 9.41\u202fAM.png', 'shot 9.41 AM.png', 'the name on disk has U+202F'],
    ['a\u200bb.txt', 'ab.txt', 'the name on disk has U+200B'],
    ['ab.txt', 'a\u200bb.txt', 'the name on disk lacks U+200B'],
  ])('BR-017: %j looks like %j', (name, asked, words) => {
    expect(looksOf(name)).toBe(looksOf(asked))
    expect(spellingOf(name, asked)).toBe(words)
  })

  test('BR-017: other letters, case and digits make another name', () => {
    const names = ['a.txt', 'A.txt', 'ä.txt', 'а.txt', 'a2.txt', 'a\u00b2.txt']
    expect(new Set(names.map(looksOf)).size).toBe(names.length)
    expect(spellingOf('a.txt', 'b.txt')).toBe('')
    expect(spellingOf('a.txt', 'a.txt')).toBe('')
  })
})

import { isPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { parseArtifactName, parseName } from './name.js'

function refusalOf(text: string): string {
  try {
    parseName(text, 'name')
    return 'accepted'
  } catch (error) {
    return isPlatformError(error) ? `${error.code} ${error.details.field ?? ''}` : 'other'
  }
}

describe('artifact name', () => {
  test.each([
    ['./a', 'a'],
    ['a//b/', 'a/b'],
    ['结果/./质控.json', '结果/质控.json'],
    ['..a/b..c', '..a/b..c'],
    ['a b.txt', 'a b.txt'],
  ])('S-06 %j is the same name as %j', (text, name) => {
    expect(parseName(text, 'name')).toBe(name)
  })

  test.each([
    '../../x.md',
    'a/../b',
    'a\\..\\win.txt',
    '/tmp/abs.txt',
    'C:\\abs.txt',
    '\\\\host\\share',
    'a\u0000b',
    'a\nb',
    'a\u001b[31mb',
    'a\ud800',
    '',
    '.',
    './/',
    'x'.repeat(2001),
  ])('BR-037 %j is refused and the field named', (text) => {
    expect(refusalOf(text)).toBe('invalid name')
  })

  test('S-06 2000 characters are accepted, counted as people count them', () => {
    expect(parseName('😀'.repeat(2000), 'name')).toHaveLength(4000)
  })

  test('BR-017 names that look the same are one name', () => {
    const name = 'plate 3/Messung_\u00e4.csv'
    expect(parseArtifactName('plate\u00a03/Messung_a\u0308.csv', 'name')).toBe(name)
    expect(parseArtifactName(name, 'name')).toBe(name)
  })
})

import { isPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { parseName } from './name.js'

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
    'x'.repeat(513),
  ])('BR-037 %j is refused and the field named', (text) => {
    expect(refusalOf(text)).toBe('invalid name')
  })

  test('512 characters are accepted, counted as people count them', () => {
    expect(parseName('😀'.repeat(512), 'name')).toHaveLength(1024)
  })
})

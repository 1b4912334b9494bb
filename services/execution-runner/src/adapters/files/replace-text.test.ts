import { isPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { replaceText } from './replace-text.js'

const edit = (content: string | Buffer, oldText: string, newText: string, all = false) =>
  replaceText(Buffer.from(content), { path: 'f', oldText, newText, all })

function refusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (isPlatformError(error)) return `${error.details.reason ?? error.code}: ${error.message}`
  }
  return 'not refused'
}

describe('replace text', () => {
  test.each([false, true])('BR-001: dollar sequences mean themselves (all: %s)', (all) => {
    const { content, replacements } = edit('echo TOKEN\n', 'TOKEN', "$$ $& $1 $` $'", all)
    expect(content.toString('hex')).toBe('6563686f20242420242620243120246020242' + '70a')
    expect(replacements).toBe(1)
  })

  test('BR-002: entities are not decoded', () => {
    const page = '<p>p &lt; 0.05 &amp;&amp; n &gt; 30</p>\n'
    expect(edit(page, '&lt;', '&le;').content.toString()).toBe(page.replace('&lt;', '&le;'))
  })

  test('BR-004: LF search text is found in a CRLF file, and no bare LF comes in', () => {
    const { content } = edit('id,val\r\nA,1\r\nB,2\r\n', 'A,1\nB,2', 'A,1\nB,3')
    expect(content.toString()).toBe('id,val\r\nA,1\r\nB,3\r\n')
    expect(edit('a\r\nb\r\n', 'b', 'b\nc').content.toString()).toBe('a\r\nb\r\nc\r\n')
  })

  test('BR-006: bytes that are not UTF-8 survive far from the edit', () => {
    const bytes = Buffer.from('74656d70203d2032300a2320323520b04320636166e90a', 'hex')
    const { content } = edit(bytes, 'temp = 20', 'temp = 37')
    expect(content.toString('hex')).toBe('74656d70203d2033370a2320323520b04320636166e90a')
  })

  test('BR-006: other than ASCII is refused in a file that is not UTF-8', () => {
    const bytes = Buffer.from('636166e90a', 'hex')
    expect(refusal(() => edit(bytes, 'caf', 'café'))).toContain('not_utf8: f is not UTF-8')
  })

  test('BR-008: a BOM stays, once', () => {
    const { content } = edit('\ufeffid\tod\nA1\t0.4\n', 'id\tod', 'id\tod600')
    expect(content.toString('hex').startsWith('efbbbf6964')).toBe(true)
    expect(content.toString()).toBe('\ufeffid\tod600\nA1\t0.4\n')
  })

  test('BR-008: UTF-16 is edited in UTF-16, at whole units', () => {
    const text = Buffer.from('\ufeffwell\tod\n', 'utf16le')
    expect(edit(text, 'od', 'μ').content.toString('utf16le')).toBe('\ufeffwell\tμ\n')
    const shifted = Buffer.from('\ufeff\u6161\u0061', 'utf16le')
    expect(edit(shifted, 'a', 'b').content.toString('utf16le')).toBe('\ufeff\u6161b')
  })

  test('BR-009: several matches are refused with their number', () => {
    const file = 'run:\n  cpu: 4\n'.repeat(3)
    expect(refusal(() => edit(file, '  cpu: 4', '  cpu: 8'))).toContain('3 matches')
    const { content, replacements } = edit(file, '  cpu: 4', '  cpu: 8', true)
    expect([content.toString(), replacements]).toEqual(['run:\n  cpu: 8\n'.repeat(3), 3])
  })

  test('H-03: no match is refused, and a binary file', () => {
    expect(refusal(() => edit('a', 'b', 'c'))).toContain('no_match')
    expect(refusal(() => edit('a\0b', 'a', 'c'))).toContain('binary_file')
  })
})

import { describe, expect, test } from 'vitest'
import { limitsFor } from './limits.js'
import { fits, measure, preview } from './preview.js'

const limits = { maxBytes: 51_200, maxLines: 2_000, retentionBytes: 8_192 }
const ref = 'tool-output-0123456789abcdef'

function cut(text: string, keep: 'head-and-tail' | 'tail' = 'head-and-tail'): string {
  const output = measure(text)
  expect(fits(output, limits)).toBe(false)
  const shown = preview(output, limits, keep, ref)
  expect(fits(measure(shown), limits)).toBe(true)
  expect(shown).not.toContain('\ufffd')
  return shown
}

describe('measure', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['\n\n', 2],
  ])('%j has %i lines', (text, lines) => {
    expect(measure(text).lines).toBe(lines)
  })

  test('counts bytes, not characters', () => {
    expect(measure('µm').bytes.length).toBe(3)
  })
})

describe('preview of an output that does not fit', () => {
  const rows = Array.from({ length: 5_000 }, (_, row) => `row ${row}\n`)

  test('S-20, C-26: shows whole lines of head and tail, two thirds to one third', () => {
    const shown = cut(rows.join(''))
    const [head = '', tail = ''] = shown.split(/\[.*left out here.*\]\n/)
    expect(head.startsWith('row 0\n')).toBe(true)
    expect(tail.endsWith('row 4999\n')).toBe(true)
    expect(head.trimEnd().split('\n')).toHaveLength(1331)
    expect(tail.trimEnd().split('\n')).toHaveLength(666)
    expect(rows.join('').startsWith(head) && rows.join('').endsWith(tail)).toBe(true)
  })

  test('S-20: names what is left out and the reference', () => {
    const shown = cut(rows.join(''))
    expect(shown).toContain('[3003 lines, ')
    expect(shown).toContain('of 5000 lines, 43890 bytes in all')
    expect(shown).toContain(ref)
  })

  test('C-26: a command keeps its tail only', () => {
    const shown = cut(rows.join(''), 'tail')
    expect(shown.startsWith('[')).toBe(true)
    expect(shown.endsWith('row 4999\n')).toBe(true)
    expect(shown).not.toContain('row 0\n')
    expect(shown.split('\n').length).toBeGreaterThan(1_990)
  })

  test('S-20: one endless line is cut between characters at both ends', () => {
    const shown = cut('a' + 'µ'.repeat(100_000))
    const [head = '', tail = ''] = shown.split(/\n?\[.*left out here.*\]\n/)
    expect(head.length).toBeGreaterThan(16_000)
    expect(tail.length).toBeGreaterThan(8_000)
    expect(tail).toMatch(/^µ+$/)
  })

  test('S-20: the tail alone of an endless line is cut between characters', () => {
    expect(cut('a' + '字'.repeat(100_000), 'tail')).toMatch(/\]\n字+$/)
  })

  test('short lines before a long one survive', () => {
    const shown = cut(`first\n${'x'.repeat(200_000)}\nlast\n`)
    expect(shown.startsWith('first\nxxx')).toBe(true)
    expect(shown.endsWith('xxx\nlast\n')).toBe(true)
  })

  test('head and tail never overlap when only the line count is over', () => {
    const shown = cut('\n'.repeat(2_001))
    expect(shown).toContain('of 2001 lines, 2001 bytes in all')
  })
})

describe('limits of a tool that bounds itself', () => {
  test('S-20: are four times wider and keep nothing below that', () => {
    expect(limitsFor(limits, true)).toEqual({
      maxBytes: 204_800,
      maxLines: 8_000,
      retentionBytes: 204_800,
    })
    expect(limitsFor(limits, false)).toBe(limits)
  })
})

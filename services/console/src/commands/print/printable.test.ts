import { describe, expect, test } from 'vitest'
import { printable, printableBlock, shortened } from './printable.js'

describe('printable text', () => {
  test('shows the control sequences of a hostile tool instead of sending them', () => {
    expect(printable('\x1b]52;c;cm0gLXJm\x07 \x1b[2J\x9b31m')).toBe(
      '\\x1b]52;c;cm0gLXJm\\x07 \\x1b[2J\\x9b31m',
    )
  })

  test('shows characters that reorder, hide or tag text', () => {
    expect(printable('a\u202eb\u2066c\u200bd\u{e0041}e\u2028f')).toBe(
      'a\\u{202e}b\\u{2066}c\\u{200b}d\\u{e0041}e\\u{2028}f',
    )
  })

  test('keeps every script as it is, joiners and wide characters too', () => {
    expect(printable('序列 é می\u200cخواهم 👩\u200d🔬')).toBe('序列 é می\u200cخواهم 👩\u200d🔬')
  })

  test('is one line', () => {
    expect(printable('a\nb\r\nc\td\re')).toBe('a⏎b⏎c d\\x0de')
  })

  test('a block keeps lines and tabs, and shows a bare carriage return that would overwrite a line', () => {
    expect(printableBlock('a\r\nb\tc\rd\x1b[1A')).toBe('a\nb\tc\\x0dd\\x1b[1A')
  })

  test('shortening never cuts a character in two', () => {
    expect(shortened('👩👩👩', 2)).toBe('👩…')
    expect(shortened('abc', 3)).toBe('abc')
  })
})

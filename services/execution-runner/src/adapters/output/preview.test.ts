import { describe, expect, test } from 'vitest'
import { ByteWindow } from './byte-window.js'
import { cleanText } from './clean-text.js'
import { previewOf } from './preview.js'

function preview(text: string | Buffer, kept = 64, maxBytes = 200, chunk = 5) {
  const window = new ByteWindow(kept, kept)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunk) window.add(bytes.subarray(at, at + chunk))
  return previewOf(window, maxBytes)
}

describe('preview', () => {
  test('a short output is shown whole', () => {
    expect(preview('10 µM\n')).toEqual({ text: '10 µM\n', truncated: false })
  })

  test('BR-026: of a long one head and tail', () => {
    const { text, truncated } = preview(`${'0123456789\n'.repeat(1000)}01`)
    expect(truncated).toBe(true)
    expect(text.startsWith('0123456789\n')).toBe(true)
    expect(text.endsWith('\n01')).toBe(true)
    expect(text).toContain('about 10874 bytes not shown')
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(200)
  })

  test('BR-024: no character is cut in two', () => {
    for (const kept of [60, 61, 62, 63]) {
      expect(preview('µ€😀'.repeat(200), kept).text).not.toContain('\ufffd')
    }
  })

  test('BR-027: of a progress bar the last drawing is left', () => {
    const frames = Array.from(
      { length: 1001 },
      (_, index) => `\rdownloading ${(index / 10).toFixed(1)}%`,
    )
    const raw = `${frames.join('')}\nsaved reads.fq.gz\n`
    expect(cleanText(raw)).toBe('downloading 100.0%\nsaved reads.fq.gz\n')
    expect(preview(raw).text.length).toBeLessThan(200)
  })

  test('BR-027: colours and cursor codes are left out', () => {
    const text = cleanText(
      '\u001b[31mFAIL\u001b[0m test_a\n\u001b[1A\u001b[2Kok test_a\r\n\u001b]0;title\u0007',
    )
    expect(text).toBe('FAIL test_a\nok test_a\n')
  })
})

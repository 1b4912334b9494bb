import { describe, expect, test } from 'vitest'
import { redactDeep, secretRedactor } from './secret-redactor.js'

const secret = 'sk-ant/42+x y="ä'
const redact = secretRedactor([secret])

describe('secretRedactor', () => {
  test.each([
    ['plain', (text: string) => text],
    ['JSON', (text: string) => JSON.stringify(text)],
    ['URL-encoded', encodeURIComponent],
    ['form-encoded', (text: string) => encodeURIComponent(text).replaceAll('%20', '+')],
    [
      'lower-case URL-encoded',
      (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['hexadecimal', (text: string) => Buffer.from(text).toString('hex')],
    ['base64', (text: string) => Buffer.from(text).toString('base64')],
    ['base64url', (text: string) => Buffer.from(text).toString('base64url')],
  ])('takes the %s form out and leaves the rest', (_name, encode) => {
    const text = redact(`before ${encode(secret)} after ${encode(secret)}.`)
    expect(text).toMatch(/^before "?\[redacted\].{0,2} after "?\[redacted\].{0,2}\.$/)
  })

  test('finds base64 at any offset: a basic authorization, a JSON document', () => {
    for (const before of ['', 'u', 'us', 'user:', '{"token":"']) {
      for (const after of ['', '"', '"}']) {
        const encoded = Buffer.from(`${before}${secret}${after}`).toString('base64')
        const text = redact(`Basic ${encoded}`)
        expect(text).toContain('[redacted]')
        const rest = text.replace('Basic ', '').split('[redacted]')
        expect(rest.join('').length).toBeLessThanOrEqual(encoded.length - secret.length)
      }
    }
  })

  test('a secret that holds another goes as a whole', () => {
    expect(secretRedactor(['abcd', 'abcd-efgh'])('x abcd-efgh y abcd z')).toBe(
      'x [redacted] y [redacted] z',
    )
  })

  test('values that are too short to look for, and no values, change nothing', () => {
    expect(secretRedactor(['', 'abc'])('abc')).toBe('abc')
    expect(secretRedactor([])('text')).toBe('text')
  })

  test('characters of patterns are taken literally', () => {
    expect(secretRedactor(['a.*[b'])('a.*[b axxb')).toBe('[redacted] axxb')
    expect(secretRedactor(['$&$1'])('see $&$1')).toBe('see [redacted]')
  })

  test('a megabyte is searched in well under a second', () => {
    const many = Array.from({ length: 20 }, (_, n) => `secret-number-${n}`)
    const text = 'lorem ipsum '.repeat(90_000)
    const before = performance.now()
    expect(secretRedactor(many)(text)).toBe(text)
    expect(performance.now() - before).toBeLessThan(2_000)
  })

  test('redactDeep reaches every string of a value, keys too, and spares the rest', () => {
    const date = new Date(0)
    const value = { [`k ${secret}`]: [secret, { deep: `x${secret}` }], n: 1, none: null, date }
    expect(redactDeep(redact, value)).toEqual({
      'k [redacted]': ['[redacted]', { deep: 'x[redacted]' }],
      n: 1,
      none: null,
      date,
    })
  })
})

import { describe, expect, test } from 'vitest'
import { createDeltaText } from './delta-text.js'
import { createRedact } from './redact.js'
import { wellFormedJson, wellFormedText } from './well-formed.js'

describe('well-formed text (BR-063)', () => {
  test.each([
    ['a\ud83d', 'a\ufffd'],
    ['\udc00\ud83d', '\ufffd\ufffd'],
    ['🧬 ok', '🧬 ok'],
  ])('%j becomes %j', (text, expected) => {
    expect(wellFormedText(text)).toBe(expected)
  })

  test.each([
    [String.raw`"a \ud83d b"`, 'a \ufffd b'],
    [String.raw`"\uD83E\uDDEC"`, '🧬'],
    [String.raw`"\\ud83d"`, String.raw`\ud83d`],
    [String.raw`"\\\ud83d"`, '\\\ufffd'],
    [String.raw`"\ud83d\ud83e\uddec\udc00"`, '\ufffd🧬\ufffd'],
  ])('the JSON %s reads %j', (json, expected) => {
    expect(JSON.parse(wellFormedJson(json))).toBe(expected)
  })

  test('a pair that is cut between two deltas is shown whole', () => {
    const shown: unknown[] = []
    const text = createDeltaText('text', (delta) => shown.push(delta))
    for (const piece of ['a\ud83e', '\uddec', 'b']) text.append(piece)
    expect(shown).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: '🧬' },
      { kind: 'text', text: 'b' },
    ])
    expect(text.text()).toBe('a🧬b')
  })
})

describe('redaction', () => {
  const redact = createRedact('abc123def456ghi789')

  test.each([
    ['key abc123def456ghi789 is wrong', 'key [secret] is wrong'],
    ['abc123d****ghi789', '[secret]****[secret]'],
    ['other keys: sk-proj-0123456789, Bearer xyz', 'other keys: [secret], [secret]'],
    ['nothing to hide: abc12', 'nothing to hide: abc12'],
  ])('%s is shown as %s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  test('a short key is removed as well', () => {
    expect(createRedact('k1')('k1 and k2')).toBe('[secret] and k2')
  })
})

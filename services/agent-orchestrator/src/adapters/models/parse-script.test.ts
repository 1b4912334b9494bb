import { describe, expect, test } from 'vitest'
import { parseScript } from './parse-script.js'

const refusalOf = (text: string): string => {
  try {
    parseScript(text)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  return 'accepted'
}
const file = (turns: unknown, rest: object = {}): string => JSON.stringify({ turns, ...rest })

describe('script file › well-formed', () => {
  test('turns, children and sessions are read at any depth', () => {
    const child = { turns: [{ text: 'done' }], children: { ca: { turns: [] } } }
    const script = parseScript(
      `\uFEFF${file([{ id: 'a1', text: '{}' }], { protocol: 'action', children: { ta: child }, sessions: { s: { turns: [] } } })}`,
    )
    expect(script.protocol).toBe('action')
    expect(script.children['ta']?.children['ca']).toEqual({
      turns: [],
      protocol: 'native',
      children: {},
      sessions: {},
    })
    expect(Object.keys(script.sessions)).toEqual(['s'])
  })

  test('a turn that only fails for a while is a preface of the next turn', () => {
    const { turns } = parseScript(
      file([
        { fail: { status: 503, times: 2 } },
        { fail: { status: 429, times: 1 }, text: 'ok' },
        { text: 'end' },
      ]),
    )
    expect(turns).toEqual([
      {
        text: 'ok',
        failures: [
          { status: 503, times: 2 },
          { status: 429, times: 1 },
        ],
      },
      { text: 'end', failures: [] },
    ])
  })

  test('a turn that always fails is a turn of its own', () => {
    expect(parseScript(file([{ fail: { status: 500 } }, { text: 'ok' }])).turns).toHaveLength(2)
  })
})

describe('script file › malformed', () => {
  const call = (fields: object): string => file([{}, {}, {}, { toolCalls: [fields] }])
  test.each([
    [
      call({ id: 'c1', arguments: {} }),
      'turns[3].toolCalls[0].name: Invalid input: expected string, received undefined',
    ],
    [
      call({ name: 'x', arguments: 3 }),
      'turns[3].toolCalls[0].arguments: expected an object, or the raw arguments as text',
    ],
    [file([{ txt: 'a' }]), 'turns[0]: Unrecognized key: "txt"'],
    ['{}', 'turns: Invalid input: expected array, received undefined'],
    ['[]', 'script: Invalid input: expected object, received array'],
    [
      file([], { children: { ta: { turns: [{ text: 1 }] } } }),
      'children.ta.turns[0].text: Invalid input: expected string, received number',
    ],
    [
      file([{ toolCalls: [{ id: 'c1', name: 'x' }] }], {
        children: { ta: { turns: [{ toolCalls: [{ id: 'c1', name: 'x' }] }] } },
      }),
      'children.ta.turns[0].toolCalls[0].id: "c1" is already the id at turns[0].toolCalls[0].id',
    ],
    [
      file([{ toolCalls: [{ id: 'c1', name: 'x', arguments: { a: ['{{c0.details.[x}}'] } }] }]),
      'turns[0]: {{c0.details.[x}} is not a reference',
    ],
    [
      file([{ text: 1 }, { text: 2 }]),
      'turns[0].text: Invalid input: expected string, received number (and 1 more)',
    ],
  ])('%s names its place', (text, message) => {
    expect(refusalOf(text)).toBe(message)
  })

  test.each([
    ['', 1, 1, 'a value, but the text ends'],
    ['x', 1, 1, 'a value'],
    [
      '{"turns": [\n  {"text": "a"}\n  {"text": "b"}\n]}',
      3,
      3,
      'a comma or the end of the list or object',
    ],
    ['{"turns": [\n  {"text": "a",}\n]}', 2, 16, 'a key in double quotes'],
    ['{"turns": [1,]}', 1, 14, 'a value'],
    ["{'turns': []}", 1, 2, 'a key in double quotes or }'],
    ['{"turns" []}', 1, 10, 'a colon'],
    ['{"turns": [01]}', 1, 12, 'a value or ]'],
    ['{"turns": ["a\tb"]}', 1, 12, 'a value or ]'],
    ['{"turns": []', 1, 13, 'a comma or the end of the list or object, but the text ends'],
    ['{"turns": [}', 1, 12, 'a value or ]'],
    ['{"turns": []} x', 1, 15, 'the end'],
    ['{"turns": []}, {}', 1, 14, 'the end'],
  ])('%j is not JSON at line %i column %i', (text, line, column, expected) => {
    expect(refusalOf(text)).toBe(`line ${line} column ${column}: not JSON: expected ${expected}`)
  })
})

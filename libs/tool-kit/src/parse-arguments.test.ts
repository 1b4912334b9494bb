import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseArguments } from './parse-arguments.js'

const parameters = z.strictObject({
  path: z.string().min(1).max(20),
  limit: z.int().min(1).max(10000).default(2000),
  offset: z.int().min(1).optional(),
  mode: z.enum(['fast', 'safe']).optional(),
  note: z.string().nullable().optional(),
  plan: z
    .array(z.strictObject({ step: z.string().min(1), owner: z.string().optional() }))
    .optional(),
})
const tool = { name: 'read_file', parameters }

function refusal(text: string): string {
  const parsed = parseArguments(tool, text)
  if (parsed.ok) throw new Error('was not refused')
  expect(parsed.result.isError).toBe(true)
  expect(parsed.result.details.error).toMatchObject({
    code: 'INVALID_TOOL_ARGUMENTS',
    retryable: true,
    attempts: 1,
  })
  return parsed.result.details.error.message
}

function accepted(text: string): unknown {
  const parsed = parseArguments(tool, text)
  if (!parsed.ok) throw new Error(parsed.result.text)
  return parsed.args
}

describe('arguments that are right', () => {
  test('are typed, with defaults filled in', () => {
    expect(accepted('{"path":"a.txt","offset":3}')).toEqual({
      path: 'a.txt',
      limit: 2000,
      offset: 3,
    })
  })

  test('X-02: null on an optional field is a missing field, in lists too', () => {
    const text = '{"path":"a","limit":null,"offset":null,"plan":[{"step":"s","owner":null}]}'
    expect(accepted(text)).toEqual({ path: 'a', limit: 2000, plan: [{ step: 's' }] })
  })

  test('X-02: null stays where the field accepts null', () => {
    expect(accepted('{"path":"a","note":null}')).toMatchObject({ note: null })
  })

  test('blank text stands for no arguments', () => {
    expect(parseArguments({ name: 'list', parameters: z.strictObject({}) }, ' ')).toEqual({
      ok: true,
      args: {},
    })
  })
})

describe('text that is not JSON', () => {
  test('BR-059: a trailing comma is refused with its place and nothing is run', () => {
    const message = refusal('{"path": "notes.md",}')
    expect(message).toContain('read_file was not run')
    expect(message).toContain('line 1, column 20')
    expect(message).toContain("a comma stands before '}'")
  })

  test.each([
    ['{"path": "a"', 'line 1, column 13, near', "expected ',' or '}'"],
    ['{"path":\n "a" "b"}', 'line 2, column 6', "expected ',' or '}'"],
    ["{'path': 1}", 'line 1, column 2', 'a property name in double quotes'],
    ['{"path": "a\nb"}', 'line 1, column 12', 'a control character inside a text'],
    ['{"path": "C:\\dir"}', 'line 1, column 13', 'not an escape of JSON'],
    ['{"path": "abc}', 'line 1, column 10', 'without its closing quote'],
    ['{"path": undefined}', 'line 1, column 10', 'expected a value'],
    ['{"path" 1}', 'line 1, column 9', "expected ':'"],
    ['{"path":"a"} extra', 'line 1, column 14', 'nothing after the end'],
    ['{"a": 01}', 'line 1, column 8', "expected ',' or '}'"],
  ])('%j names place and problem', (text, place, problem) => {
    const message = refusal(text)
    expect(message).toContain(place)
    expect(message).toContain(problem)
  })

  test('a text that holds JSON is not opened', () => {
    expect(refusal('"{\\"path\\":\\"a\\"}"')).toContain('send an object with path, limit')
  })
})

describe('arguments of the wrong shape', () => {
  test.each([
    ['{}', 'path: is missing; send a text of 1 to 20 characters'],
    ['{"path":null}', 'path: is null; send a text of 1 to 20 characters'],
    ['{"path":"a","limit":0}', 'limit: is 0; send an integer from 1 to 10000'],
    ['{"path":"a","limit":true}', 'limit: is true; send an integer from 1 to 10000'],
    ['{"path":"a","offset":1.5}', 'offset: is 1.5; send an integer of at least 1'],
    ['{"path":"a","offset":"2"}', 'offset: is the text "2"; send an integer of at least 1'],
    ['{"path":"a","mode":"slow"}', 'mode: is the text "slow"; send one of "fast", "safe"'],
    ['{"path":"aaaaaaaaaaaaaaaaaaaaa"}', 'path: has 21 characters; send a text of 1 to 20'],
    [
      '{"path":"a","plan":[{"step":"x"},{"step":""}]}',
      'plan[1].step: has 0 characters; send a text',
    ],
    ['{"path":"a","pth":1}', 'pth: unknown; send only path, limit, offset, mode, note, plan'],
    ['{"path":"a","plan":[{"step":"x","by":1}]}', 'plan[0].by: unknown; send only step, owner'],
    ['[1]', 'arguments: is a list; send an object with path'],
    ['null', 'arguments: is null; send an object with path'],
  ])('%s names the field and what to send', (text, message) => {
    expect(refusal(text)).toContain(message)
  })

  test('S7: __proto__ is refused at any depth and changes nothing', () => {
    expect(refusal('{"path":"a","__proto__":{"admin":true}}')).toContain('__proto__: not allowed')
    const deep = '{"path":"a","plan":[{"step":"x","__proto__":{}}]}'
    expect(refusal(deep)).toContain('plan[0].__proto__: not allowed')
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  test('half of a character is refused, a whole emoji is not', () => {
    expect(refusal('{"path":"a\\ud83d"}')).toContain('path: half of a character')
    expect(accepted('{"path":"\\ud83d\\ude00"}')).toMatchObject({ path: '😀' })
  })
})

describe('arguments over a limit', () => {
  test('more than 8 MiB are refused with the limit', () => {
    const message = refusal(`{"path":"${'x'.repeat(8 * 1024 * 1024)}"}`)
    expect(message).toContain('over the limit of 8388608 bytes')
  })

  test('8 MiB of ASCII are measured in bytes, not in characters', () => {
    expect(refusal(`{"path":"${'é'.repeat(4 * 1024 * 1024)}"}`)).toContain('over the limit')
  })

  test('S7: nesting of 100,000 levels is refused with the limit', () => {
    expect(refusal('['.repeat(100_000))).toContain('deeper than the limit of 64 levels')
  })

  test('brackets inside a text are not levels', () => {
    const text = JSON.stringify({ path: 'a', note: `"\\${'['.repeat(100)}` })
    expect(accepted(text)).toMatchObject({ path: 'a' })
  })
})

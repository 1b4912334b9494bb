import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { type ModelMessage, type ModelRequest, type ModelTurn } from '../../model-provider.js'
import { parseScript } from './parse-script.js'
import { childSpec, findChildKey, scriptPart, sessionSpec } from './script-parts.js'
import { createScriptedProvider } from './scripted-provider.js'
import { collectDeltas, failureOf, requestWith } from './request-fixture.js'
import { createManualTiming } from './timing-fixture.js'

const result = (callId: string, details: unknown): ModelMessage => ({
  role: 'tool',
  callId,
  name: 'x',
  text: 'said',
  isError: false,
  details,
})

async function play(file: object, changes: Partial<ModelRequest> = {}): Promise<ModelTurn> {
  const provider = createScriptedProvider(parseScript(JSON.stringify(file)))
  return provider.complete(requestWith(changes.messages ?? [], changes), collectDeltas().options)
}
const argumentsWith = async (args: unknown, messages: readonly ModelMessage[]): Promise<string> => {
  const file = { turns: [{ toolCalls: [{ id: 'c9', name: 'x', arguments: args }] }] }
  return (await play(file, { messages })).toolCalls[0]?.argumentsText ?? ''
}

describe('scripted provider › turns', () => {
  const file = {
    turns: [
      {
        text: 'plan',
        toolCalls: [
          { id: 'p1', name: 'update_plan', arguments: { items: [] } },
          { name: 'list_files' },
        ],
      },
      { text: 'done', usage: { inputTokens: 5, outputTokens: 2 } },
      { stop: 'length', text: 'cut' },
    ],
  }

  test('the turn is the number of completed ones, whatever was asked before', async () => {
    expect(await play(file)).toEqual({
      text: 'plan',
      toolCalls: [
        { id: 'p1', name: 'update_plan', argumentsText: '{"items":[]}' },
        { id: 'call_t1_1', name: 'list_files', argumentsText: '{}' },
      ],
      stop: 'tool_calls',
      model: 'scripted',
    })
    expect(await play(file, { turnsCompleted: 1, attempt: 3 })).toEqual({
      text: 'done',
      toolCalls: [],
      stop: 'end',
      usage: { inputTokens: 5, outputTokens: 2 },
      model: 'scripted',
    })
    expect((await play(file, { turnsCompleted: 2 })).stop).toBe('length')
  })

  test('a turn beyond the end is script_exhausted', async () => {
    const failure = await failureOf(play(file, { turnsCompleted: 3 }))
    expect([failure.code, failure.details.reason]).toEqual(['refused', 'script_exhausted'])
    expect(failure.message).toBe('script exhausted: turn 4 was asked, it has 3 turns')
  })

  test('the text comes as deltas that never cut a character, then each call', async () => {
    const text = '🧬'.repeat(50)
    const script = parseScript(
      JSON.stringify({ turns: [{ text, toolCalls: [{ id: 'c1', name: 'x' }] }] }),
    )
    const { deltas, options } = collectDeltas()
    await createScriptedProvider(script).complete(requestWith([]), options)
    expect(deltas).toEqual([
      { kind: 'text', text: '🧬'.repeat(48) },
      { kind: 'text', text: '🧬🧬' },
      { kind: 'tool_call', callId: 'c1', name: 'x' },
    ])
  })

  test('BR-059 arguments given as text stay as they are', async () => {
    expect(await argumentsWith('{"path": "notes.md",}', [])).toBe('{"path": "notes.md",}')
  })
})

describe('scripted provider › references', () => {
  const messages = [
    result('r0', { cursor: 1 }),
    result('r0', {
      cursor: 200,
      list: [
        { id: 'a', n: null },
        { id: 'b', path: ['x', 'y'] },
      ],
      'odd-name': 'o"k',
    }),
  ]

  test.each([
    ['{{r0.details.cursor}}', '{"v":200}'],
    ['{{r0.details.list[1].path}}', '{"v":["x","y"]}'],
    ['{{r0.details.list[id=b].path[0]}}', '{"v":"x"}'],
    ['{{r0.details.list[0].n}}', '{"v":null}'],
    [
      '{{r0.text}} at {{r0.details.cursor}}: {{r0.details.list[0]}}',
      String.raw`{"v":"said at 200: {\"id\":\"a\",\"n\":null}"}`,
    ],
    ['{{r0.details.odd-name}}', String.raw`{"v":"o\"k"}`],
    ["printf '{{r0}} { {{ }}'", String.raw`{"v":"printf '{{r0}} { {{ }}'"}`],
  ])('%s becomes %s', async (text, expected) => {
    expect(await argumentsWith({ v: text }, messages)).toBe(expected)
  })

  test('raw arguments and the text of a turn take references too', async () => {
    expect(await argumentsWith('{"v": {{r0.details.cursor}}}', messages)).toBe('{"v": 200}')
    expect((await play({ turns: [{ text: '{{r0.details.cursor}}' }] }, { messages })).text).toBe(
      '200',
    )
  })

  test('in an action they are resolved inside the JSON, so that quotes stay quoted', async () => {
    const file = {
      protocol: 'action',
      turns: [{ id: 'a1', text: '{"path": "{{r0.details.odd-name}}"}' }],
    }
    expect((await play(file, { messages })).text).toBe(String.raw`{"path":"o\"k"}`)
  })

  test.each([
    ['{{c1.details.x}}', 'there is no result of call c1'],
    ['{{r0.details.nothing}}', 'nothing at .nothing'],
    ['{{r0.details.list[7]}}', 'nothing at [7]'],
    ['{{r0.details.list[id=z]}}', 'nothing at [id=z]'],
    ['{{r0.details.list[0].constructor}}', 'nothing at .constructor'],
    ['{{r0.details.cursor.length}}', 'nothing at .length'],
  ])('%s is script_reference and is named', async (text, why) => {
    const failure = await failureOf(argumentsWith({ v: `a ${text}` }, messages))
    expect([failure.code, failure.details.reason]).toEqual(['invalid', 'script_reference'])
    expect(failure.message).toBe(`script reference ${text} cannot be resolved: ${why}`)
  })
})

describe('scripted provider › faults', () => {
  const file = {
    turns: [
      { text: 'ok', fail: { status: 503, times: 2 } },
      { fail: { status: 429, retryAfterMs: 40 } },
    ],
  }

  test('attempts fail as often as told, then the turn is played', async () => {
    for (const attempt of [1, 2]) {
      const failure = await failureOf(play(file, { attempt }))
      expect([failure.code, failure.details.reason]).toEqual(['unavailable', 'server_error'])
    }
    expect((await play(file, { attempt: 3 })).text).toBe('ok')
  })

  test('a failure without a number of times never ends', async () => {
    const failure = await failureOf(play(file, { turnsCompleted: 1, attempt: 1000 }))
    expect([failure.code, failure.details.retryAfterMs]).toEqual(['exhausted', 40])
  })

  test('a 400 that speaks of the context is an overflow', async () => {
    const turns = [{ fail: { status: 400, message: 'context_length_exceeded' } }]
    expect((await failureOf(play({ turns }))).details.reason).toBe('context_overflow')
  })

  test('a hanging turn ends with the abort and its reason', async () => {
    const script = parseScript('{"turns":[{"hang":true}]}')
    const abort = new AbortController()
    const call = createScriptedProvider(script).complete(
      requestWith([]),
      collectDeltas(abort.signal).options,
    )
    abort.abort(new PlatformError('deadline', 'run deadline'))
    expect((await failureOf(call)).code).toBe('deadline')
  })

  test('latency is waited for, and an abort ends the wait', async () => {
    const timing = createManualTiming()
    const provider = createScriptedProvider(
      parseScript('{"turns":[{"text":"ok","latencyMs":500}]}'),
      { timing },
    )
    const call = provider.complete(requestWith([]), collectDeltas().options)
    expect(timing.waits()).toEqual([500])
    await timing.advance(500)
    expect((await call).text).toBe('ok')
    const abort = new AbortController()
    const stopped = provider.complete(requestWith([]), collectDeltas(abort.signal).options)
    abort.abort()
    expect((await failureOf(stopped)).code).toBe('cancelled')
  })
})

describe('script › parts', () => {
  const script = parseScript(
    '{"turns":[],"children":{"组 1/a":{"turns":[{"text":"x"}],"children":{"cb":{"turns":[{"text":"deep"}]}}}},"sessions":{"s":{"turns":[]}}}',
  )

  test('a child is found by call id, else label, else description', () => {
    expect(findChildKey(script, { callId: 'ta', label: '组 1/a' })).toBe('组 1/a')
    expect(findChildKey(script, { callId: 'ta', description: '组 1/a' })).toBe('组 1/a')
    expect(findChildKey(script, { callId: 'ta', label: 'toString' })).toBeUndefined()
  })

  test('a spec points into the script, step by step', () => {
    const spec = childSpec(childSpec('scripted:d', '组 1/a'), 'cb')
    expect(spec).toBe('scripted:d#/children/%E7%BB%84%201%2Fa/children/cb')
    expect(scriptPart(script, spec.split('#')[1] ?? '').turns[0]?.text).toBe('deep')
    expect(scriptPart(script, '')).toBe(script)
    expect(sessionSpec('scripted:d', 's')).toBe('scripted:d#/sessions/s')
    expect(() => scriptPart(script, '/children/none')).toThrow('has no children named "none"')
  })
})

import { describe, expect, test } from 'vitest'
import { type ModelMessage, type ModelTool } from '../../model-provider.js'
import { createAnthropicProvider } from './anthropic-provider.js'
import { type LoopbackReply, sse, startLoopbackService } from './loopback-service-fixture.js'
import { collectDeltas, digestOf, requestWith, wireMessages } from './request-fixture.js'

const user: ModelMessage = { role: 'user', text: '数一数读段' }
const tool: ModelTool = { name: 'read_file', description: 'Reads.', parameters: { properties: {} } }
const cache = { type: 'ephemeral' }

const event = (payload: { type: string } & Record<string, unknown>): string =>
  sse(payload, payload.type)
const started = event({
  type: 'message_start',
  message: {
    model: 'claude-x',
    usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 100 },
  },
})
const open = (index: number, content_block: object): string =>
  event({ type: 'content_block_start', index, content_block })
const piece = (index: number, delta: object): string =>
  event({ type: 'content_block_delta', index, delta })
const stopped = (stop_reason: string): string =>
  event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 25 } }) +
  event({ type: 'message_stop' })

async function ask(
  replies: readonly LoopbackReply[],
  messages: readonly ModelMessage[] = [user],
  tools: readonly ModelTool[] = [tool],
) {
  await using service = await startLoopbackService(replies)
  const provider = createAnthropicProvider({
    apiKey: 'key',
    baseUrl: `${service.url}/v1`,
    model: 'claude',
    parameters: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    sees: true,
    loadImage: async () => Promise.resolve(new Uint8Array([137, 80, 78, 71])),
  })
  const { deltas, options } = collectDeltas()
  const turn = await provider.complete(requestWith(messages, { tools, turnsCompleted: 1 }), options)
  return { turn, deltas, requests: service.requests }
}

const ended: LoopbackReply = {
  chunks: [
    open(0, { type: 'text', text: '' }),
    piece(0, { type: 'text_delta', text: 'ok' }),
    stopped('end_turn'),
  ],
}
const thinkingTurn: LoopbackReply = {
  chunks: [
    started,
    event({ type: 'ping' }),
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    piece(0, { type: 'thinking_delta', thinking: 'let me ' }),
    piece(0, { type: 'thinking_delta', thinking: 'look' }),
    piece(0, { type: 'signature_delta', signature: 'sig' }),
    open(1, { type: 'text', text: '' }),
    piece(1, { type: 'text_delta', text: '读段：' }),
    open(2, { type: 'redacted_thinking', data: 'opaque' }),
    open(3, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }),
    piece(3, { type: 'input_json_delta', partial_json: '{"path":' }),
    piece(3, { type: 'input_json_delta', partial_json: '"a"}' }),
    open(4, { type: 'tool_use', id: 'toolu_2', name: 'list_files', input: {} }),
    stopped('tool_use'),
  ],
}

describe('anthropic provider › an answer', () => {
  test('thinking, text and calls are told apart, and all input tokens are counted', async () => {
    const { turn, deltas } = await ask([thinkingTurn])
    expect(turn).toMatchObject({
      text: '读段：',
      stop: 'tool_calls',
      model: 'claude-x',
      usage: { inputTokens: 110, outputTokens: 25, cachedInputTokens: 100 },
      toolCalls: [
        { id: 'toolu_1', name: 'read_file', argumentsText: '{"path":"a"}' },
        { id: 'toolu_2', name: 'list_files', argumentsText: '{}' },
      ],
    })
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'let me ' },
      { kind: 'thinking', text: 'look' },
      { kind: 'text', text: '读段：' },
      { kind: 'tool_call', callId: 'toolu_1', name: 'read_file' },
      { kind: 'tool_call', callId: 'toolu_2', name: 'list_files' },
    ])
  })

  test('text cut inside a character arrives whole, and absent usage stays absent', async () => {
    const bytes = Buffer.from(
      open(0, { type: 'text', text: '' }) +
        piece(0, { type: 'text_delta', text: '读段 🧬' }) +
        stopped('max_tokens'),
    )
    const chunks = Array.from({ length: Math.ceil(bytes.length / 9) }, (_, at) =>
      bytes.subarray(at * 9, at * 9 + 9),
    )
    const { turn } = await ask([{ chunks }])
    expect(turn).toEqual({ text: '读段 🧬', toolCalls: [], stop: 'length', model: 'claude' })
  })

  test.each([
    ['refusal', 'refused'],
    ['model_context_window_exceeded', 'length'],
    ['stop_sequence', 'end'],
  ] as const)('stop reason %s is stop %s', async (reason, stop) => {
    expect((await ask([{ chunks: [started, stopped(reason)] }])).turn.stop).toBe(stop)
  })
})

describe('anthropic provider › a request', () => {
  test('system text is apart, ends are marked for the cache, tools are declared', async () => {
    const { requests } = await ask([ended], [{ role: 'system', text: 'You help.' }, user])
    expect(requests[0]?.path).toBe('/v1/messages')
    expect(requests[0]?.headers.authorization).toBe('Bearer key')
    expect(requests[0]?.body).toEqual({
      thinking: { type: 'enabled', budget_tokens: 1024 },
      model: 'claude',
      max_tokens: 1000,
      messages: [
        { role: 'user', content: [{ type: 'text', text: '数一数读段', cache_control: cache }] },
      ],
      system: [{ type: 'text', text: 'You help.', cache_control: cache }],
      tools: [
        {
          name: 'read_file',
          description: 'Reads.',
          input_schema: { type: 'object', properties: {} },
        },
      ],
      stream: true,
    })
  })

  test('thinking blocks go back in place to the model that wrote them and to no other', async () => {
    const { turn } = await ask([thinkingTurn])
    const { text, toolCalls, extra } = turn
    const answers: ModelMessage[] = toolCalls.map(({ id, name }) => ({
      role: 'tool',
      callId: id,
      name,
      text: 'done',
      isError: false,
    }))
    const own: ModelMessage = { role: 'assistant', text, toolCalls, extra: { ...extra } }
    const other: ModelMessage = { ...own, extra: { ...extra, source: 'anthropic:other' } }
    const { requests } = await ask([ended], [user, own, ...answers, other, ...answers])
    const messages = wireMessages(requests[0]?.body)
    expect(messages[1]?.['content']).toEqual([
      { type: 'thinking', thinking: 'let me look', signature: 'sig' },
      { type: 'text', text: '读段：' },
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
      { type: 'tool_use', id: 'toolu_2', name: 'list_files', input: {} },
    ])
    expect(messages[3]?.['content']).toEqual([
      { type: 'text', text: '读段：' },
      { type: 'tool_use', id: 'toolu_1_2', name: 'read_file', input: { path: 'a' } },
      { type: 'tool_use', id: 'toolu_2_2', name: 'list_files', input: {} },
    ])
  })

  test('BR-062 results, errors and images share one user message, results first', async () => {
    const { requests } = await ask(
      [ended],
      [
        {
          role: 'assistant',
          text: ' ',
          toolCalls: [
            { id: 'functions.read:0', name: 'read_file', argumentsText: '{"p": 1,}' },
            { id: 'c2', name: 'read_file', argumentsText: '' },
          ],
        },
        { role: 'user', text: 'and now?' },
        {
          role: 'tool',
          callId: 'functions.read:0',
          name: 'read_file',
          text: 'a figure',
          isError: false,
          images: [{ mediaType: 'image/png', digest: digestOf('d') }],
        },
      ],
    )
    expect(wireMessages(requests[0]?.body)).toEqual([
      { role: 'user', content: [{ type: 'text', text: '(continued)' }] },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'functions_read_0',
            name: 'read_file',
            input: { unparsed_arguments: '{"p": 1,}' },
          },
          { type: 'tool_use', id: 'c2', name: 'read_file', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'functions_read_0',
            content: [
              { type: 'text', text: 'a figure' },
              {
                type: 'image',
                source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' },
              },
            ],
          },
          {
            type: 'tool_result',
            tool_use_id: 'c2',
            content: [{ type: 'text', text: 'interrupted: there is no result of this call' }],
            is_error: true,
          },
          { type: 'text', text: 'and now?', cache_control: cache },
        ],
      },
    ])
  })

  test('a history with calls declares their tools even when none may be called', async () => {
    const calls = [{ id: 'c1', name: 'read_file', argumentsText: '{}' }]
    const { requests } = await ask(
      [ended],
      [user, { role: 'assistant', text: '', toolCalls: calls }],
      [],
    )
    expect(requests[0]?.body).toMatchObject({
      tools: [{ name: 'read_file', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    })
  })

  test('BR-063 half surrogate pairs leave as U+FFFD', async () => {
    const { requests } = await ask(
      [ended],
      [
        { role: 'user', text: 'Strain \ud83d X' },
        {
          role: 'assistant',
          text: '',
          toolCalls: [{ id: 'c1', name: 'run_shell', argumentsText: String.raw`{"c":"\ud99c"}` }],
        },
      ],
    )
    const messages = wireMessages(requests[0]?.body)
    expect(messages[0]?.['content']).toEqual([{ type: 'text', text: 'Strain \ufffd X' }])
    expect(messages[1]?.['content']).toMatchObject([{ input: { c: '\ufffd' } }])
  })
})

import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { type ModelMessage, type ModelTool } from '../../model-provider.js'
import { type LoopbackReply, sse, startLoopbackService } from './loopback-service-fixture.js'
import { createOpenAiProvider } from './openai-provider.js'
import { collectDeltas, digestOf, requestWith, wireMessages } from './request-fixture.js'

const user: ModelMessage = { role: 'user', text: '数一数读段' }
const readFile: ModelTool = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
const imageBytes = new Uint8Array([137, 80, 78, 71])

const delta = (fields: object, finish: string | null = null): string =>
  sse({ model: 'm-2', choices: [{ index: 0, delta: fields, finish_reason: finish }] })
const call = (fields: object): string => delta({ tool_calls: [fields] })
const done = sse('[DONE]')

async function ask(
  replies: readonly LoopbackReply[],
  messages: readonly ModelMessage[] = [user],
  tools: readonly ModelTool[] = [],
) {
  await using service = await startLoopbackService(replies)
  const provider = createOpenAiProvider({
    apiKey: 'key',
    baseUrl: `${service.url}/v1`,
    model: 'm',
    sees: true,
    loadImage: async (digest) => {
      if (digest === 'gone') throw new PlatformError('not_found', 'blob not found')
      return Promise.resolve(imageBytes)
    },
  })
  const { deltas, options } = collectDeltas()
  const turn = await provider.complete(requestWith(messages, { tools, turnsCompleted: 4 }), options)
  return { turn, deltas, requests: service.requests }
}

const ended: LoopbackReply = { chunks: [delta({ content: 'ok' }, 'stop'), done] }

describe('openai provider › an answer', () => {
  test('text cut inside a character, line ends and comments arrives whole', async () => {
    const bytes = Buffer.from(
      `: keep-alive\r\n\r\n${delta({ content: '读段 🧬 100' })}${delta({}, 'stop')}${done}`,
    )
    const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
      bytes.subarray(at * 7, at * 7 + 7),
    )
    const { turn, deltas } = await ask([{ chunks }])
    expect(turn).toEqual({ text: '读段 🧬 100', toolCalls: [], stop: 'end', model: 'm-2' })
    expect(deltas).toEqual([{ kind: 'text', text: '读段 🧬 100' }])
  })

  test('usage is taken from the last chunk, cached tokens included', async () => {
    const usage = {
      prompt_tokens: 120,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 100 },
    }
    const { turn } = await ask([
      { chunks: [delta({ content: 'a' }, 'stop'), sse({ choices: [], usage }), done] },
    ])
    expect(turn.usage).toEqual({ inputTokens: 120, outputTokens: 7, cachedInputTokens: 100 })
  })

  test('parallel calls with split arguments are put together by index', async () => {
    const { turn, deltas } = await ask([
      {
        chunks: [
          call({
            index: 0,
            id: 'c1',
            type: 'function',
            function: { name: 'read_file', arguments: '' },
          }),
          call({
            index: 1,
            id: 'c2',
            type: 'function',
            function: { name: 'list_files', arguments: '{' },
          }),
          call({ index: 0, function: { arguments: '{"path":"a' } }),
          call({ index: 1, function: { arguments: '}' } }),
          call({ index: 0, function: { arguments: '.txt"}' } }),
          delta({}, 'tool_calls'),
          done,
        ],
      },
    ])
    expect(turn.stop).toBe('tool_calls')
    expect(turn.toolCalls).toEqual([
      { id: 'c1', name: 'read_file', argumentsText: '{"path":"a.txt"}' },
      { id: 'c2', name: 'list_files', argumentsText: '{}' },
    ])
    expect(deltas).toEqual([
      { kind: 'tool_call', callId: 'c1', name: 'read_file' },
      { kind: 'tool_call', callId: 'c2', name: 'list_files' },
    ])
  })

  test('calls without ids and indexes, in one JSON document, get ids of their own', async () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [
        { function: { name: 'read_file', arguments: { path: 'a' } } },
        { function: { name: 'read_file', arguments: '{"path":"b"}' } },
      ],
    }
    const body = JSON.stringify({ model: 'm-2', choices: [{ message, finish_reason: 'stop' }] })
    const { turn } = await ask([
      { headers: { 'content-type': 'application/json' }, chunks: [body] },
    ])
    expect(turn.stop).toBe('tool_calls')
    expect(turn.toolCalls).toEqual([
      { id: 'call_t5_0', name: 'read_file', argumentsText: '{"path":"a"}' },
      { id: 'call_t5_1', name: 'read_file', argumentsText: '{"path":"b"}' },
    ])
  })

  test('an id that an earlier turn used is made new, and index 0 for every call makes two calls', async () => {
    const { turn } = await ask(
      [
        {
          chunks: [
            call({
              index: 0,
              id: 'call_0',
              function: { name: 'read_file', arguments: '{"path":"a"}' },
            }),
            call({
              index: 0,
              id: 'call_1',
              function: { name: 'read_file', arguments: '{"path":"b"}' },
            }),
            delta({}, 'tool_calls'),
          ],
        },
      ],
      [
        user,
        {
          role: 'assistant',
          text: '',
          toolCalls: [{ id: 'call_0', name: 'list_files', argumentsText: '{}' }],
        },
        { role: 'tool', callId: 'call_0', name: 'list_files', text: 'a b', isError: false },
      ],
    )
    expect(turn.toolCalls.map(({ id, argumentsText }) => [id, argumentsText])).toEqual([
      ['call_0_t5', '{"path":"a"}'],
      ['call_1', '{"path":"b"}'],
    ])
  })

  test.each([
    ['length', 'length'],
    ['content_filter', 'refused'],
  ] as const)('finish reason %s is stop %s', async (reason, stop) => {
    const { turn } = await ask([{ chunks: [delta({ content: 'a' }), delta({}, reason), done] }])
    expect(turn.stop).toBe(stop)
  })

  test('a refusal is the text of a refused turn', async () => {
    const { turn } = await ask([
      { chunks: [delta({ refusal: 'I will not' }), delta({}, 'stop'), done] },
    ])
    expect(turn).toMatchObject({ text: 'I will not', stop: 'refused' })
  })

  test('BR-059 arguments that do not parse are kept as they came', async () => {
    const broken = '{"path": "notes.md",}'
    const chunks = [
      call({ index: 0, id: 'c1', function: { name: 'read_file', arguments: broken } }),
      delta({}, 'tool_calls'),
    ]
    const { turn } = await ask([{ chunks }])
    expect(turn.toolCalls[0]?.argumentsText).toBe(broken)
  })
})

describe('openai provider › a request', () => {
  test('asks for a stream with usage and sends tools, limit and key', async () => {
    const { requests } = await ask(
      [ended],
      [{ role: 'system', text: 'You help.' }, user],
      [readFile],
    )
    expect(requests[0]?.path).toBe('/v1/chat/completions')
    expect(requests[0]?.headers.authorization).toBe('Bearer key')
    expect(requests[0]?.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'You help.' },
        { role: 'user', content: '数一数读段' },
      ],
      tools: [{ type: 'function', function: readFile }],
      max_tokens: 1000,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('unknown assistant fields go back to the model that wrote them and to no other', async () => {
    const { turn } = await ask([
      {
        chunks: [
          delta({ reasoning_content: 'first ' }),
          delta({ reasoning_content: 'second' }),
          call({
            index: 0,
            id: 'c1',
            extra_content: { sig: 'abc' },
            function: { name: 'read_file', arguments: '{}' },
          }),
          delta({}, 'tool_calls'),
        ],
      },
    ])
    const { text, toolCalls, extra } = turn
    const own: ModelMessage = { role: 'assistant', text, toolCalls, extra: { ...extra } }
    const other: ModelMessage = { ...own, extra: { ...extra, source: 'openai:other' } }
    const { requests } = await ask([ended], [user, own, user, other])
    const messages = wireMessages(requests[0]?.body)
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      content: null,
      reasoning_content: 'first second',
      tool_calls: [{ id: 'c1', extra_content: { sig: 'abc' } }],
    })
    expect(messages[4]).not.toHaveProperty('reasoning_content')
  })

  test('images are content parts; those of tool results follow all results as user parts', async () => {
    const { requests } = await ask(
      [ended],
      [
        {
          role: 'user',
          text: 'look',
          images: [{ mediaType: 'image/png', digest: digestOf('d1') }],
        },
        {
          role: 'assistant',
          text: '',
          toolCalls: ['c1', 'c2'].map((id) => ({ id, name: 'read_file', argumentsText: '{}' })),
        },
        {
          role: 'tool',
          callId: 'c1',
          name: 'read_file',
          text: '',
          isError: false,
          images: [
            { mediaType: 'image/svg+xml', digest: digestOf('d2') },
            { mediaType: 'image/png', digest: digestOf('gone') },
          ],
        },
        { role: 'tool', callId: 'c2', name: 'read_file', text: 'no such file', isError: true },
      ],
    )
    const messages = wireMessages(requests[0]?.body)
    expect(messages[0]?.['content']).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
    ])
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '(no output)' },
      { role: 'tool', tool_call_id: 'c2', content: 'Error: no such file' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[images of the result of read_file]' },
          { type: 'text', text: '[image of type image/svg+xml not shown]' },
          { type: 'text', text: '[image no longer available]' },
        ],
      },
    ])
  })

  test('BR-063 half surrogate pairs leave as U+FFFD, in text and inside arguments', async () => {
    const { requests } = await ask(
      [ended],
      [
        { role: 'user', text: 'Strain \ud83d X 🧬' },
        {
          role: 'assistant',
          text: '',
          toolCalls: [
            {
              id: 'c1',
              name: 'run_shell',
              argumentsText: String.raw`{"command":"echo \ud99c \\ud99c 🧬 \ud83e\uddec"}`,
            },
            { id: 'c2', name: 'no.such tool', argumentsText: '{"path": "a",}' },
          ],
        },
      ],
    )
    const messages = wireMessages(requests[0]?.body)
    expect(messages[0]?.['content']).toBe('Strain \ufffd X 🧬')
    expect(messages[1]?.['tool_calls']).toEqual([
      {
        id: 'c1',
        type: 'function',
        function: {
          name: 'run_shell',
          arguments: String.raw`{"command":"echo \ufffd \\ud99c 🧬 \ud83e\uddec"}`,
        },
      },
      {
        id: 'c2',
        type: 'function',
        function: {
          name: 'no_such_tool',
          arguments: '{"unparsed_arguments":"{\\"path\\": \\"a\\",}"}',
        },
      },
    ])
  })
})

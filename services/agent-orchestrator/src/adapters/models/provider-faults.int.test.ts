import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type ModelDelta, type ModelMessage, type ModelProvider } from '../../model-provider.js'
import { createAnthropicProvider } from './anthropic-provider.js'
import { type LoopbackReply, sse, startLoopbackService } from './loopback-service-fixture.js'
import { createOpenAiProvider } from './openai-provider.js'
import { type ServiceOptions } from './service-options.js'
import { collectDeltas, failureOf, requestWith } from './request-fixture.js'
import { systemTiming } from './timing.js'

const canary = 'sk-canary-7f3a9b1c2d4e5f60718293a4b5c6d7e8'
const user: ModelMessage = { role: 'user', text: 'hello' }

interface Api {
  readonly name: string
  readonly create: (options: ServiceOptions) => ModelProvider
  readonly first: string
  readonly errorBody: (message: string, type: string) => unknown
  readonly errorChunk: (type: string) => string
}
const apis: readonly Api[] = [
  {
    name: 'openai',
    create: createOpenAiProvider,
    first: sse({ choices: [{ delta: { content: 'half of ' } }] }),
    errorBody: (message, type) => ({ error: { message, type, code: type } }),
    errorChunk: (type) => sse({ error: { message: 'no more', type, code: type } }),
  },
  {
    name: 'anthropic',
    create: createAnthropicProvider,
    first:
      sse(
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        'content_block_start',
      ) +
      sse(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half of ' } },
        'content_block_delta',
      ),
    errorBody: (message, type) => ({ type: 'error', error: { message, type } }),
    errorChunk: (type) => sse({ type: 'error', error: { message: 'no more', type } }, 'error'),
  },
]

const optionsFor = (baseUrl: string, changes: Partial<ServiceOptions> = {}): ServiceOptions => ({
  apiKey: canary,
  baseUrl,
  model: 'm',
  sees: false,
  loadImage: async () => Promise.reject(new Error('no images here')),
  ...changes,
})

const levels = ['debug', 'info', 'log', 'warn', 'error'] as const
const spies = levels.map((level) => vi.spyOn(console, level))
const logged = (): string => inspect(spies.map((spy) => spy.mock.calls))
afterEach(() => spies.forEach((spy) => spy.mockClear()))

describe.each(apis)('$name provider › faults', ({ name, create, first, errorBody, errorChunk }) => {
  const failWith = async (reply: LoopbackReply, changes: Partial<ServiceOptions> = {}) => {
    await using service = await startLoopbackService([reply])
    const { deltas, options } = collectDeltas()
    const provider = create(optionsFor(service.url, changes))
    const failure = await failureOf(provider.complete(requestWith([user]), options))
    return { failure, deltas, tries: service.requests.length }
  }
  const refusal = (
    status: number,
    message = 'no',
    type = 'x',
    headers: Record<string, string> = {},
  ): LoopbackReply => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    chunks: [JSON.stringify(errorBody(message, type))],
  })

  test.each([
    [401, 'no', 'unauthenticated', 'unauthorized'],
    [402, 'no', 'forbidden', 'unauthorized'],
    [403, 'no', 'forbidden', 'unauthorized'],
    [400, 'tool schema is wrong', 'invalid', 'semantic_error'],
    [404, 'no such model', 'invalid', 'semantic_error'],
    [422, 'no', 'invalid', 'semantic_error'],
    [400, "This model's maximum context length is 8192 tokens", 'refused', 'context_overflow'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'refused', 'context_overflow'],
    [413, 'request_too_large', 'refused', 'context_overflow'],
    [408, 'no', 'deadline', 'timeout'],
    [429, 'slow down', 'exhausted', 'rate_limited'],
    [429, 'insufficient_quota: check your plan', 'forbidden', 'unauthorized'],
    [500, 'no', 'unavailable', 'server_error'],
    [503, 'no', 'unavailable', 'server_error'],
    [529, 'overloaded', 'unavailable', 'server_error'],
  ] as const)(
    'status %i "%s" is %s, %s, and is asked once',
    async (status, message, code, reason) => {
      const { failure, tries } = await failWith(refusal(status, message))
      expect([failure.code, failure.details.reason, tries]).toEqual([code, reason, 1])
      expect(failure.message).toContain(`${name} answered ${String(status)}`)
    },
  )

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
    [{}, undefined],
  ])('a 429 with %j says to wait %s ms', async (headers, retryAfterMs) => {
    const timing = { ...systemTiming, now: () => Date.UTC(2026, 0, 1) }
    const { failure } = await failWith(refusal(429, 'slow down', 'x', headers), { timing })
    expect(failure.details.retryAfterMs).toBe(retryAfterMs)
  })

  test('an error as the first event of a stream is one of its own kind', async () => {
    const { failure } = await failWith({ chunks: [errorChunk('rate_limit_error')] })
    expect([failure.code, failure.details.reason]).toEqual(['exhausted', 'rate_limited'])
  })

  test.each([
    ['an error event', { chunks: [first, errorChunk('overloaded_error')] }, 'server_error'],
    [
      'a malformed chunk',
      { chunks: [first, sse('{"choices": [', 'content_block_delta')] },
      'transport_error',
    ],
    [
      'a chunk of another shape',
      { chunks: [first, sse({ choices: 1, type: 1 }, 'x')] },
      'transport_error',
    ],
    ['an end without a finish', { chunks: [first] }, 'transport_error'],
    ['silence', { chunks: [first], end: 'hang' }, 'timeout'],
  ] as const)('%s after the first chunk is unknown', async (_what, reply, reason) => {
    const { failure, deltas } = await failWith(reply, { idleTimeoutMs: 300 })
    expect([failure.code, failure.details.reason]).toEqual(['unknown', reason])
    expect(deltas).toEqual([{ kind: 'text', text: 'half of ' }])
  })

  test('a connection cut after the first chunk is unknown', async () => {
    let seen: (delta: ModelDelta) => void = () => undefined
    const until = new Promise((resolve) => (seen = resolve))
    await using service = await startLoopbackService([{ chunks: [first], end: 'drop', until }])
    const call = create(optionsFor(service.url)).complete(requestWith([user]), {
      signal: new AbortController().signal,
      onDelta: seen,
    })
    const failure = await failureOf(call)
    expect([failure.code, failure.details.reason]).toEqual(['unknown', 'transport_error'])
  })

  test.each([
    ['a cut connection', { end: 'drop' }, 'unavailable', 'transport_error'],
    ['an empty stream', {}, 'unavailable', 'transport_error'],
    ['silence', { end: 'hang' }, 'deadline', 'timeout'],
  ] as const)(
    '%s before the first chunk can be tried again',
    async (_what, reply, code, reason) => {
      const { failure } = await failWith(reply, { idleTimeoutMs: 300 })
      expect([failure.code, failure.details.reason]).toEqual([code, reason])
    },
  )

  test('a service that is not there can be tried again', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await new Promise((resolve) => server.close(resolve))
    const provider = create(optionsFor(`http://127.0.0.1:${String(port)}`))
    const failure = await failureOf(provider.complete(requestWith([user]), collectDeltas().options))
    expect([failure.code, failure.details.reason]).toEqual(['unavailable', 'transport_error'])
    expect(failure.message).toContain('ECONNREFUSED')
  })

  test('an abort ends a hanging call at once and closes the connection', async () => {
    await using service = await startLoopbackService([{ chunks: [first], end: 'hang' }])
    const abort = new AbortController()
    const call = create(optionsFor(service.url)).complete(requestWith([user]), {
      signal: abort.signal,
      onDelta: () => abort.abort(),
    })
    expect((await failureOf(call)).code).toBe('cancelled')
    await service.clientGone
  })

  test('a redirect is not followed, so the key stays here', async () => {
    await using thief = await startLoopbackService([{}])
    const { failure } = await failWith({ status: 307, headers: { location: `${thief.url}/steal` } })
    expect(failure.code).toBe('invalid')
    expect(failure.message).toContain('base URL')
    expect(thief.requests).toEqual([])
  })

  test.each([
    ['in an error body', refusal(401, `Incorrect API key provided: ${canary}. Bearer ${canary}`)],
    [
      'masked in an error body',
      refusal(401, `Incorrect API key: ${canary.slice(0, 12)}****${canary.slice(-6)}`),
    ],
    [
      'in a page',
      { status: 502, headers: { 'content-type': 'text/html' }, chunks: [`<h1>${canary}</h1>`] },
    ],
    ['in a malformed chunk', { chunks: [first, sse(`{"${canary}`, 'content_block_delta')] }],
    ['in a chunk of another shape', { chunks: [first, sse({ type: 1, choices: canary }, 'x')] }],
  ] as const)('a key echoed %s is in no error and no log', async (_where, reply) => {
    const { failure } = await failWith(reply)
    const shown =
      inspect(failure, { depth: 10, showHidden: true }) + (failure.stack ?? '') + logged()
    expect(shown).not.toContain(canary.slice(0, 12))
    expect(shown).not.toContain(canary.slice(-6))
  })

  test.each([
    ['apiKey', { apiKey: `${canary}\n` }],
    ['baseUrl', { baseUrl: `http://user:${canary}@127.0.0.1:1` }],
    ['baseUrl', { baseUrl: 'ftp://127.0.0.1' }],
    ['model', { model: ' ' }],
  ])('a bad %s is refused at once without quoting secrets', async (field, changes) => {
    const made = Promise.resolve().then(() => create(optionsFor('http://127.0.0.1:1', changes)))
    const failure = await failureOf(made)
    expect([failure.code, failure.details.field]).toEqual(['invalid', field])
    expect(failure.message).not.toContain('canary')
  })
})

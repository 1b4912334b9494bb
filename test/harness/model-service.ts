import { once } from 'node:events'
import { type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextLoop } from 'node:timers/promises'

/** What the service got. */
export interface ModelRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** One answer: the pieces of its stream, and whether the connection is cut after them. */
export interface ModelReply {
  readonly status?: number
  readonly pieces: readonly string[]
  readonly cut?: boolean
}

/** A model service on a free loopback port that gives its answers in order. */
export interface ModelService extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ModelRequest[]
}

/** Starts the service; a request beyond the last answer gets a 500. */
export async function startModelService(replies: readonly ModelReply[]): Promise<ModelService> {
  const requests: ModelRequest[] = []
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      await answer(response, replies[requests.length - 1] ?? { status: 500, pieces: [] })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(response: ServerResponse, reply: ModelReply): Promise<void> {
  const { status = 200, pieces, cut = false } = reply
  response.writeHead(status, {
    'content-type': status === 200 ? 'text/event-stream' : 'application/json',
  })
  response.flushHeaders()
  for (const piece of pieces) {
    response.write(piece)
    // Lets the client read each piece on its own.
    for (let loops = 0; loops < 5; loops += 1) await nextLoop()
  }
  if (cut) response.socket?.destroy()
  else response.end()
}

const sse = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`

export interface SpokenCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** A turn as the OpenAI chat API streams it: text in pieces, arguments in halves, usage last. */
export function openAiTurn(
  words: readonly string[],
  calls: readonly SpokenCall[] = [],
): readonly string[] {
  const chunk = (delta: unknown, finish: string | null = null): string =>
    sse({ model: 'gpt-5.5', choices: [{ index: 0, delta, finish_reason: finish }] })
  const asked = calls.flatMap(({ id, name, arguments: args }, index) => {
    const half = Math.floor(args.length / 2)
    const first = {
      index,
      id,
      type: 'function',
      function: { name, arguments: args.slice(0, half) },
    }
    const second = { index, function: { arguments: args.slice(half) } }
    return [chunk({ tool_calls: [first] }), chunk({ tool_calls: [second] })]
  })
  const usage = { prompt_tokens: 1000, completion_tokens: 100 }
  return [
    ...words.map((content) => chunk({ content })),
    ...asked,
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    sse({ model: 'gpt-5.5', choices: [], usage }),
    'data: [DONE]\n\n',
  ]
}

/** A turn as the Anthropic messages API streams it. */
export function anthropicTurn(
  words: readonly string[],
  calls: readonly SpokenCall[] = [],
): readonly string[] {
  const event = (payload: { readonly type: string } & Readonly<Record<string, unknown>>): string =>
    `event: ${payload.type}\n${sse(payload)}`
  const block = (index: number, content: unknown, deltas: readonly unknown[]): string[] => [
    event({ type: 'content_block_start', index, content_block: content }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]
  const said = words.map((word) => ({ type: 'text_delta', text: word }))
  const asked = calls.flatMap(({ id, name, arguments: args }, at) =>
    block(at + 1, { type: 'tool_use', id, name, input: {} }, [
      { type: 'input_json_delta', partial_json: args },
    ]),
  )
  const stop = calls.length > 0 ? 'tool_use' : 'end_turn'
  return [
    event({
      type: 'message_start',
      message: { model: 'claude-opus-5-5', usage: { input_tokens: 1000, output_tokens: 1 } },
    }),
    ...block(0, { type: 'text', text: '' }, said),
    ...asked,
    event({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 100 } }),
    event({ type: 'message_stop' }),
  ]
}

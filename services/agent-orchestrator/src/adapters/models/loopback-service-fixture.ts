import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextLoop } from 'node:timers/promises'

/** One scripted answer of the loopback service. */
export interface LoopbackReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly chunks?: readonly (string | Uint8Array)[]
  /** What happens after the chunks: a clean end, a cut connection, or nothing until the client leaves. */
  readonly end?: 'clean' | 'drop' | 'hang'
  /** Waited for before the end. */
  readonly until?: Promise<unknown>
}

/** What the service received. */
export interface LoopbackRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** A model service on a free loopback port that plays answers in order; the last one repeats. */
export interface LoopbackService extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly LoopbackRequest[]
  /** Resolves when the client of the last hanging answer has gone. */
  readonly clientGone: Promise<void>
}

/** Starts the service. */
export async function startLoopbackService(
  replies: readonly LoopbackReply[],
): Promise<LoopbackService> {
  const requests: LoopbackRequest[] = []
  let leave: () => void = () => undefined
  const clientGone = new Promise<void>((resolve) => {
    leave = resolve
  })
  const server = createServer((request, response) => {
    response.on('close', leave)
    void receive(request, requests).then(async (count) =>
      answer(response, replies[Math.min(count, replies.length) - 1] ?? {}),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${String(portOf(server))}`,
    requests,
    clientGone,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A chunk of an event stream. */
export function sse(payload: unknown, event?: string): string {
  const head = event === undefined ? '' : `event: ${event}\n`
  return `${head}data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`
}

async function receive(request: IncomingMessage, requests: LoopbackRequest[]): Promise<number> {
  const body: unknown = JSON.parse(await text(request))
  return requests.push({ path: request.url ?? '', headers: request.headers, body })
}

async function answer(response: ServerResponse, reply: LoopbackReply): Promise<void> {
  response.socket?.setNoDelay(true)
  response.writeHead(reply.status ?? 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    ...reply.headers,
  })
  response.flushHeaders()
  for (const chunk of reply.chunks ?? []) {
    response.write(chunk)
    // Lets the client read each piece on its own.
    for (let loops = 0; loops < 5; loops += 1) await nextLoop()
  }
  await reply.until
  if (reply.end === 'drop') response.socket?.destroy()
  if ((reply.end ?? 'clean') === 'clean') response.end()
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** What the stand-in does wrong for the next request of a kind. */
export interface Fault {
  /** `GET`, `PUT`, `HEAD`, `POST` (start and end of an upload in parts). */
  readonly method: string
  readonly kind: 'slow-down' | 'cut' | 'short' | 'stall' | 'forbidden'
  times: number
}

interface StoredObject {
  readonly bytes: Buffer
  readonly modifiedAt: number
}

/** An object store on a loopback port: the requests a blob store makes, and faults on demand. */
export interface S3StandIn extends AsyncDisposable {
  readonly endpoint: string
  readonly objects: Map<string, StoredObject>
  /** Uploads in parts that are neither completed nor aborted. */
  readonly uploads: Map<string, Map<number, Buffer>>
  readonly faults: Fault[]
  /** `GET`, `PUT copy`, `PUT part` … in the order they came. */
  readonly requests: string[]
}

interface Call {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly body: Buffer
  readonly request: IncomingMessage
}

/** Starts the stand-in. */
export async function startS3StandIn(): Promise<S3StandIn> {
  const state: Omit<S3StandIn, 'endpoint' | typeof Symbol.asyncDispose> = {
    objects: new Map(),
    uploads: new Map(),
    faults: [],
    requests: [],
  }
  const server = createServer((request, response) => {
    void toCall(request).then((call) => {
      state.requests.push(nameOf(call))
      answer(state, call, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    ...state,
    endpoint: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type State = Omit<S3StandIn, 'endpoint' | typeof Symbol.asyncDispose>

async function toCall(request: IncomingMessage): Promise<Call> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  const url = new URL(request.url ?? '/', 'http://stand-in')
  const { pathname: key, searchParams: query } = url
  return {
    method: request.method ?? '',
    key: decodeURIComponent(key),
    query,
    body: Buffer.concat(chunks),
    request,
  }
}

function nameOf({ method, query, request }: Call): string {
  if (request.headers['x-amz-copy-source'] !== undefined) return `${method} copy`
  return query.has('partNumber') ? `${method} part` : method
}

function answer(state: State, call: Call, response: ServerResponse): void {
  const fault = state.faults.find(({ method, times }) => method === call.method && times > 0)
  if (fault !== undefined) fault.times--
  if (fault?.kind === 'slow-down') return refuse(response, 503, 'SlowDown')
  if (fault?.kind === 'forbidden') return refuse(response, 403, 'AccessDenied')
  switch (call.method) {
    case 'PUT':
      return put(state, call, response)
    case 'POST':
      return post(state, call, response)
    case 'DELETE':
      state.uploads.delete(call.query.get('uploadId') ?? '')
      response.writeHead(204).end()
      return
    default:
      return get(state, call, { response, fault })
  }
}

function put(state: State, { key, query, body, request }: Call, response: ServerResponse): void {
  const source = request.headers['x-amz-copy-source']
  const part = query.get('partNumber')
  if (typeof source === 'string') {
    const copied = state.objects.get(`/${decodeURIComponent(source)}`)
    if (copied === undefined) return refuse(response, 404, 'NoSuchKey')
    state.objects.set(key, { bytes: copied.bytes, modifiedAt: copied.modifiedAt + 1 })
    return xml(response, '<CopyObjectResult><ETag>"x"</ETag></CopyObjectResult>')
  }
  if (part !== null) {
    state.uploads.get(query.get('uploadId') ?? '')?.set(Number(part), body)
    response.writeHead(200, { etag: `"${part}"` }).end()
    return
  }
  const claimed = request.headers['x-amz-checksum-sha256']
  const found = createHash('sha256').update(body).digest('base64')
  if (claimed !== undefined && claimed !== found) return refuse(response, 400, 'BadDigest')
  state.objects.set(key, { bytes: body, modifiedAt: (state.objects.get(key)?.modifiedAt ?? 0) + 1 })
  response.writeHead(200, { etag: '"x"' }).end()
}

function post(state: State, { key, query }: Call, response: ServerResponse): void {
  const uploadId = query.get('uploadId')
  if (uploadId === null) {
    const opened = `upload-${state.uploads.size + state.objects.size}`
    state.uploads.set(opened, new Map())
    return xml(
      response,
      `<InitiateMultipartUploadResult><UploadId>${opened}</UploadId></InitiateMultipartUploadResult>`,
    )
  }
  const parts = [...(state.uploads.get(uploadId)?.entries() ?? [])].sort(([a], [b]) => a - b)
  state.uploads.delete(uploadId)
  state.objects.set(key, { bytes: Buffer.concat(parts.map(([, bytes]) => bytes)), modifiedAt: 1 })
  xml(response, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
}

interface Answer {
  readonly response: ServerResponse
  readonly fault: Fault | undefined
}

function get(state: State, { method, key, request }: Call, { response, fault }: Answer): void {
  const object = state.objects.get(key)
  if (object === undefined)
    return refuse(response, 404, method === 'HEAD' ? undefined : 'NoSuchKey')
  const size = object.bytes.byteLength
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const start = Number(from ?? 0)
  if (from !== undefined && start >= size) return refuse(response, 416, 'InvalidRange')
  const full = object.bytes.subarray(start, to === undefined || to === '' ? size : Number(to) + 1)
  const bytes = fault?.kind === 'short' ? full.subarray(0, -1) : full
  response.writeHead(from === undefined ? 200 : 206, { 'content-length': bytes.byteLength })
  if (method === 'HEAD') response.end()
  else if (fault?.kind === 'cut')
    response.write(bytes.subarray(0, bytes.byteLength / 2), () => response.destroy())
  else if (fault?.kind === 'stall') response.write(bytes.subarray(0, bytes.byteLength / 2))
  else response.end(bytes)
}

function refuse(response: ServerResponse, status: number, code?: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(
    code === undefined
      ? undefined
      : `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  )
}

function xml(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`)
}

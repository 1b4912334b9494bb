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
  if (fault?.kind === 'slow-down') refuse(response, 503, 'SlowDown')
  else if (fault?.kind === 'forbidden') refuse(response, 403, 'AccessDenied')
  else if (call.method === 'PUT') put(state, call, response)
  else if (call.method === 'POST') post(state, call, response)
  else if (call.method === 'DELETE') abort(state, call, response)
  else get(state, call, { response, fault })
}

function put(state: State, call: Call, response: ServerResponse): void {
  if (call.request.headers['x-amz-copy-source'] !== undefined) copy(state, call, response)
  else if (call.query.has('partNumber')) putPart(state, call, response)
  else putWhole(state, call, response)
}

function copy(state: State, { key, request }: Call, response: ServerResponse): void {
  const source = `/${decodeURIComponent(String(request.headers['x-amz-copy-source']))}`
  const copied = state.objects.get(source)
  if (copied === undefined) {
    refuse(response, 404, 'NoSuchKey')
    return
  }
  state.objects.set(key, { bytes: copied.bytes, modifiedAt: copied.modifiedAt + 1 })
  xml(response, '<CopyObjectResult><ETag>"x"</ETag></CopyObjectResult>')
}

function putPart(state: State, { query, body }: Call, response: ServerResponse): void {
  const part = Number(query.get('partNumber'))
  state.uploads.get(query.get('uploadId') ?? '')?.set(part, body)
  response.writeHead(200, { etag: `"${part}"` }).end()
}

function putWhole(state: State, { key, body, request }: Call, response: ServerResponse): void {
  const claimed = request.headers['x-amz-checksum-sha256']
  const found = createHash('sha256').update(body).digest('base64')
  if (claimed !== undefined && claimed !== found) {
    refuse(response, 400, 'BadDigest')
    return
  }
  state.objects.set(key, { bytes: body, modifiedAt: (state.objects.get(key)?.modifiedAt ?? 0) + 1 })
  response.writeHead(200, { etag: '"x"' }).end()
}

function post(state: State, { key, query }: Call, response: ServerResponse): void {
  const uploadId = query.get('uploadId')
  if (uploadId === null) {
    const opened = `upload-${state.uploads.size + state.objects.size}`
    state.uploads.set(opened, new Map())
    xml(
      response,
      `<InitiateMultipartUploadResult><UploadId>${opened}</UploadId></InitiateMultipartUploadResult>`,
    )
    return
  }
  const parts = [...(state.uploads.get(uploadId)?.entries() ?? [])].sort(([a], [b]) => a - b)
  state.uploads.delete(uploadId)
  state.objects.set(key, { bytes: Buffer.concat(parts.map(([, bytes]) => bytes)), modifiedAt: 1 })
  xml(response, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
}

function abort(state: State, { query }: Call, response: ServerResponse): void {
  state.uploads.delete(query.get('uploadId') ?? '')
  response.writeHead(204).end()
}

interface Answer {
  readonly response: ServerResponse
  readonly fault: Fault | undefined
}

function get(state: State, { method, key, request }: Call, { response, fault }: Answer): void {
  const object = state.objects.get(key)
  if (object === undefined) {
    refuse(response, 404, method === 'HEAD' ? undefined : 'NoSuchKey')
    return
  }
  const wanted = partOf(object.bytes, request.headers.range)
  if (wanted === undefined) {
    refuse(response, 416, 'InvalidRange')
    return
  }
  const bytes = fault?.kind === 'short' ? wanted.subarray(0, -1) : wanted
  const status = request.headers.range === undefined ? 200 : 206
  response.writeHead(status, { 'content-length': bytes.byteLength })
  if (method === 'HEAD') response.end()
  else send(response, bytes, fault)
}

function partOf(bytes: Buffer, range: string | undefined): Buffer | undefined {
  if (range === undefined) return bytes
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
  if (Number(from) >= bytes.byteLength) return undefined
  return bytes.subarray(Number(from), to === '' ? undefined : Number(to) + 1)
}

function send(response: ServerResponse, bytes: Buffer, fault: Fault | undefined): void {
  const half = bytes.subarray(0, bytes.byteLength / 2)
  if (fault?.kind === 'cut') response.write(half, () => response.destroy())
  else if (fault?.kind === 'stall') response.write(half)
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

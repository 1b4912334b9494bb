import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { collect, startEcho, token } from './echo-fixture.js'
import { createGrpcServer } from './server.js'
import { createLineKeeper, authenticate } from './echo-fixture.js'

const limit = 16 * 1024 * 1024
const method = '/sciencediscovery.echo.v1.EchoService/SayBack'

interface Answer {
  readonly status: number
  readonly grpcStatus: string | undefined
  readonly message: string | undefined
}

/** Sends one raw HTTP/2 request and reads its grpc-status, from headers or trailers. */
function ask(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = session.request({
      ':method': 'POST',
      ':path': method,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${token}`,
      ...headers,
    })
    let seen: Record<string, unknown> = {}
    const note = (more: Record<string, unknown>): void => {
      seen = { ...seen, ...more }
    }
    request.on('response', note)
    request.on('trailers', note)
    request.on('error', reject)
    request.on('close', () => {
      const text = (name: string) => (typeof seen[name] === 'string' ? seen[name] : undefined)
      resolve({
        status: Number(seen[':status']),
        grpcStatus: text('grpc-status'),
        message: text('grpc-message'),
      })
    })
    request.resume()
    request.end(body)
  })
}

function frame(body: Buffer, compressed = 0, length = body.length): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(compressed, 0)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, body])
}

/** Sends the bytes and waits for the server to react: it greets, or it hangs up. */
function sendGarbage(port: number, bytes: Buffer): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(bytes))
    const settle = (): void => {
      resolve(socket)
    }
    socket.on('error', settle)
    socket.on('close', settle)
    socket.on('data', settle)
  })
}

describe('grpc server › hostile callers', () => {
  test('a request over the limit is refused before it is sent, naming the limit (BR-087)', async () => {
    let calls = 0
    await using echo = await startEcho({
      sayBack: (request) => {
        calls += 1
        return Promise.resolve(request)
      },
    })
    const failure = await echo.client
      .sayBack({ text: 'x'.repeat(limit) })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'exhausted', details: { reason: 'message_too_large' } })
    expect(String(failure)).toContain(`exceeds the limit of ${limit} bytes`)
    expect(calls).toBe(0)
  })

  test('a request over the limit of the server is refused by it, naming the limit (BR-087)', async () => {
    await using echo = await startEcho({}, { maxMessageBytes: 1_000_000 })
    const { client } = echo.connect({ token })
    const failure = await client
      .sayBack({ text: 'x'.repeat(4_000_000) })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'exhausted', details: { reason: 'message_too_large' } })
    expect(String(failure)).toContain('exceeds the limit of 1000000 bytes')
    expect(await client.sayBack({ text: 'still there' })).toMatchObject({ text: 'still there' })
  })

  test('an answer over the limit is refused by the server, naming the limit (BR-087)', async () => {
    await using echo = await startEcho({
      sayBack: () => Promise.resolve({ text: 'x'.repeat(limit) }),
    })
    const failure = await echo.client.sayBack({ text: '' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'exhausted', details: { reason: 'message_too_large' } })
    expect(String(failure)).toContain(`exceeds the limit of ${limit} bytes`)
    const { client } = echo.connect({ token, maxMessageBytes: 1_000 })
    const stream = collect(client.watchCount({ to: 2, size: 5_000 }))
    await expect(stream).rejects.toThrow('exceeds the limit of 1000 bytes')
  })

  test('messages around 4 MiB pass whole (BR-087)', async () => {
    await using echo = await startEcho()
    for (const size of [4_194_303, 4_194_304, 4_194_305, 16_000_000]) {
      const { text } = await echo.client.sayBack({ text: 'x'.repeat(size) })
      expect(text.length).toBe(size)
    }
  })

  test('malformed calls get a status and the process goes on (S4)', async () => {
    await using echo = await startEcho()
    const session = connectHttp2(`http://${echo.address}`)
    const call = (headers: Record<string, string>, body: Buffer) => ask(session, headers, body)
    const whole = frame(Buffer.from('{"text":"ok"}'))
    expect(await call({}, whole)).toMatchObject({ status: 200, grpcStatus: '0' })
    expect(await call({}, frame(Buffer.from('{"text":')))).toMatchObject({ grpcStatus: '3' })
    expect(await call({}, frame(Buffer.from('{"text":7}')))).toMatchObject({ grpcStatus: '3' })
    expect(await call({}, Buffer.alloc(0))).toMatchObject({ grpcStatus: '12' })
    expect(await call({}, Buffer.concat([whole, whole]))).toMatchObject({ grpcStatus: '12' })
    expect(await call({}, frame(Buffer.from('short'), 0, 0xffffffff))).toMatchObject({
      grpcStatus: '8',
    })
    expect(await call({}, frame(Buffer.from('not gzip'), 1))).toMatchObject({ grpcStatus: '3' })
    expect(
      await call({ 'grpc-encoding': 'gzip' }, frame(Buffer.from('not gzip'), 1)),
    ).toMatchObject({ grpcStatus: '13' })
    expect((await call({ 'grpc-timeout': 'soon' }, whole)).grpcStatus).toMatch(/^\d+$/)
    expect(await call({ 'grpc-timeout': '99999999H' }, whole)).toMatchObject({ grpcStatus: '0' })
    expect(await call({ traceparent: 'zz'.repeat(4_000) }, whole)).toMatchObject({
      grpcStatus: '0',
    })
    expect(await call({ 'content-type': 'text/html' }, whole)).toMatchObject({ status: 415 })
    expect(await call({ ':path': '/nowhere' }, whole)).toMatchObject({ grpcStatus: '12' })
    expect(await call({ ':path': '/%ud800/\\"' }, whole)).toMatchObject({ grpcStatus: '12' })
    session.close()
    expect(await echo.client.sayBack({ text: 'alive' })).toMatchObject({ text: 'alive' })
  })

  test('a gzip bomb stops at the limit', async () => {
    await using echo = await startEcho()
    const session = connectHttp2(`http://${echo.address}`)
    const bomb = frame(gzipSync(Buffer.alloc(64 * 1024 * 1024)), 1)
    expect(bomb.length).toBeLessThan(100_000)
    expect(await ask(session, { 'grpc-encoding': 'gzip' }, bomb)).toMatchObject({ grpcStatus: '8' })
    session.close()
    expect(await echo.client.sayBack({ text: 'alive' })).toMatchObject({ text: 'alive' })
  })

  test('garbage on the socket ends that connection only (S4)', async () => {
    await using echo = await startEcho()
    const port = Number(echo.address.split(':')[1])
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    const settings = Buffer.from('000000040000000000', 'hex')
    const garbage = [
      Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'),
      Buffer.alloc(4_096, 0xff),
      Buffer.concat([preface, Buffer.alloc(512, 0xee)]),
      // HEADERS on stream 0, DATA on an idle stream, a WINDOW_UPDATE of 0, a header block cut short.
      Buffer.concat([preface, settings, Buffer.from('000001010500000000ff', 'hex')]),
      Buffer.concat([preface, settings, Buffer.from('00000100000000000500', 'hex')]),
      Buffer.concat([preface, settings, Buffer.from('00000408000000000000000000', 'hex')]),
      Buffer.concat([preface, settings, Buffer.from('0000ff010400000001828784', 'hex')]),
    ]
    const sockets = await Promise.all(garbage.map((bytes) => sendGarbage(port, bytes)))
    expect(await echo.client.sayBack({ text: 'alive' })).toMatchObject({ text: 'alive' })
    for (const socket of sockets) socket.destroy()
    expect(await echo.client.sayBack({ text: 'alive' })).toMatchObject({ text: 'alive' })
  })

  test('an error text that is no valid unicode is repaired, not fatal', async () => {
    await using echo = await startEcho({
      sayBack: () =>
        Promise.reject(new PlatformError('invalid', 'cut \ud83d here', { field: '\udc00' })),
    })
    const failure = await echo.client.sayBack({ text: '' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'invalid',
      message: 'cut \ufffd here',
      details: { field: '\ufffd' },
    })
  })

  test('an error text of a megabyte still arrives as its code', async () => {
    const long = 'é'.repeat(1_000_000)
    await using echo = await startEcho({
      sayBack: () => Promise.reject(new PlatformError('refused', long, { remedy: long })),
    })
    await expect(echo.client.sayBack({ text: '' })).rejects.toMatchObject({ code: 'refused' })
  })

  test('handlers that throw at once, give nothing or the wrong thing answer as bugs', async () => {
    await using echo = await startEcho({
      sayBack: () => {
        throw new TypeError('no such thing')
      },
      watchCount: () => {
        throw new TypeError('no stream')
      },
      // A value that cannot be encoded.
      upload: () => Promise.resolve(JSON.parse('null')),
    })
    await expect(echo.client.sayBack({ text: '' })).rejects.toMatchObject({ code: 'bug' })
    await expect(collect(echo.client.watchCount({ to: 1 }))).rejects.toMatchObject({ code: 'bug' })
    await expect(echo.client.upload((async function* () {})())).rejects.toMatchObject({
      code: 'bug',
    })
  })

  test('a method that the server does not have is not_found', async () => {
    await using echo = await startEcho()
    const call = echo.channel.unary('/sciencediscovery.echo.v1.EchoService/Nope', Buffer.alloc(0))
    await expect(call).rejects.toMatchObject({ code: 'not_found' })
  })

  test('two services with one path, or a taken port, stop the start', async () => {
    await using echo = await startEcho()
    expect(() =>
      echo.server.addRaw([
        { kind: 'unary', path: method, handle: (bytes) => Promise.resolve(bytes) },
      ]),
    ).toThrow('served already')
    const { logger } = createLineKeeper()
    const port = Number(echo.address.split(':')[1])
    await using second = createGrpcServer({ host: '127.0.0.1', port, authenticate, logger })
    await expect(second.start()).rejects.toMatchObject({
      code: 'unavailable',
      details: { field: 'port' },
    })
  })
})

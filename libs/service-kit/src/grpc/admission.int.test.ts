import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PlatformError } from '@sciencediscovery/kernel'
import { collect, createLineKeeper, authenticate, startEcho, token } from './echo-fixture.js'
import { jwtAuth } from './jwt-auth.js'
import { createGrpcServer } from './server.js'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const issuer = 'https://issuer.test'
const audience = 'sciencediscovery'

function sign(
  claims: Record<string, unknown> = {},
  expires: string | number = '5m',
  key = privateKey,
) {
  return new SignJWT({ roles: ['member', 'admin'], ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('grace')
    .setExpirationTime(expires)
    .sign(key)
}

/** An issuer that publishes its key. */
async function serveKeys(): Promise<{ url: string; stop: () => void }> {
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const stop = (): void => void server.close()
  return { url: `http://127.0.0.1:${port}/jwks`, stop }
}

describe('grpc server › who may call', () => {
  test('no token, a wrong token and a malformed header are unauthenticated, and no handler runs (S4)', async () => {
    let calls = 0
    await using echo = await startEcho({
      sayBack: (request) => {
        calls += 1
        return Promise.resolve(request)
      },
    })
    const missing = echo.connect({}).client
    await expect(missing.sayBack({ text: '' })).rejects.toMatchObject({
      code: 'unauthenticated',
      details: { reason: 'token_missing', field: 'authorization' },
    })
    const wrong = echo.connect({ token: `${token}x` }).client
    await expect(wrong.sayBack({ text: '' })).rejects.toMatchObject({
      code: 'unauthenticated',
      details: { reason: 'token_unknown' },
    })
    await expect(collect(wrong.watchCount({ to: 3 }))).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    const upload = wrong.upload(
      (async function* () {
        for (;;) {
          await Promise.resolve()
          yield { text: 'x'.repeat(1_000_000) }
        }
      })(),
    )
    await expect(upload).rejects.toMatchObject({ code: 'unauthenticated' })
    const basic = echo.channel.unary(
      '/sciencediscovery.echo.v1.EchoService/SayBack',
      Buffer.from('{}'),
      {
        authorization: `Basic ${token}`,
      },
    )
    await expect(basic).rejects.toMatchObject({ details: { reason: 'token_missing' } })
    expect(calls).toBe(0)
  })

  test('a refusal by method keeps its code, and a broken authenticator lets nobody in', async () => {
    await using echo = await startEcho(
      {},
      {
        authenticate: (given, method) => {
          if (method.endsWith('/SayBack'))
            throw new PlatformError('forbidden', 'viewers may not speak')
          if (method.endsWith('/Upload')) throw new Error('database of users is down')
          return authenticate(given, method)
        },
      },
    )
    await expect(echo.client.sayBack({ text: '' })).rejects.toMatchObject({ code: 'forbidden' })
    const upload = echo.client.upload((async function* () {})())
    await expect(upload).rejects.toMatchObject({ code: 'bug', message: 'internal error' })
    expect(await collect(echo.client.watchCount({ to: 2 }))).toHaveLength(2)
  })

  test('a token function is asked for each call', async () => {
    await using echo = await startEcho()
    const tokens = ['stale', token]
    const { client } = echo.connect({ token: () => Promise.resolve(tokens.shift() ?? '') })
    await expect(client.sayBack({ text: '' })).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await client.sayBack({ text: 'in' })).toMatchObject({ text: 'in' })
  })

  test('a signed token is taken with its subject and roles, from the keys of the issuer', async () => {
    const keys = await serveKeys()
    onTestFinished(keys.stop)
    const auth = jwtAuth({ issuer, audience, jwksUrl: keys.url })
    expect(await auth(await sign(), '/x')).toEqual({ id: 'grace', roles: ['member', 'admin'] })
    expect(await auth(await sign({ roles: 'reader writer' }), '/x')).toMatchObject({
      roles: ['reader', 'writer'],
    })
    expect(await auth(await sign({ roles: { admin: true } }), '/x')).toMatchObject({ roles: [] })
  })

  test('expired, foreign, unsigned and tampered tokens are unauthenticated (S4)', async () => {
    const auth = jwtAuth({ issuer, audience, key: publicKey })
    await using echo = await startEcho({}, { authenticate: auth })
    const ask = (jwt: string) => echo.connect({ token: jwt }).client.sayBack({ text: '' })
    expect(await ask(await sign())).toEqual({ text: '' })
    await expect(ask(await sign({}, 1_700_000_000))).rejects.toMatchObject({
      code: 'unauthenticated',
      details: { reason: 'token_expired' },
    })
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const [head, body, signature] = (await sign()).split('.')
    const admin = Buffer.from('{"sub":"root","roles":["admin"]}').toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const bad = [
      await sign({}, '5m', other),
      await new SignJWT({})
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer('https://evil.test')
        .setAudience(audience)
        .setSubject('eve')
        .setExpirationTime('5m')
        .sign(privateKey),
      await new SignJWT({})
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setAudience('other')
        .setSubject('eve')
        .setExpirationTime('5m')
        .sign(privateKey),
      // No expiry, and no subject.
      await new SignJWT({})
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject('eve')
        .sign(privateKey),
      await new SignJWT({})
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime('5m')
        .sign(privateKey),
      `${head}.${admin}.${signature}`,
      `${none}.${body}.`,
      'not-a-token',
    ]
    for (const jwt of bad) {
      await expect(ask(jwt)).rejects.toMatchObject({
        code: 'unauthenticated',
        details: { reason: 'token_invalid' },
      })
    }
  })

  test('an issuer that cannot be reached is unavailable, not a refusal', async () => {
    const keys = await serveKeys()
    keys.stop()
    const auth = jwtAuth({ issuer, audience, jwksUrl: keys.url })
    await expect(auth(await sign(), '/x')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('plain text beyond loopback is refused unless it was asked for (S4)', () => {
    const { logger } = createLineKeeper()
    const options = { host: '0.0.0.0', port: 0, authenticate, logger }
    expect(() => createGrpcServer(options)).toThrow('0.0.0.0 is not loopback and there is no TLS')
    expect(() => createGrpcServer({ ...options, host: '127.evil.test' })).toThrow('is not loopback')
    expect(() => createGrpcServer({ ...options, allowPlaintext: true })).not.toThrow()
  })
  test('a socket file is as local as loopback', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'socket-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    await using echo = await startEcho({}, { host: `unix:${directory}/grpc.sock` })
    expect(echo.address).toBe(`unix:${directory}/grpc.sock`)
    expect(await echo.client.sayBack({ text: 'near' })).toEqual({ text: 'near' })
  })
})

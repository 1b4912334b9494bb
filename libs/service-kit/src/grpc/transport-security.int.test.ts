import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEcho, token } from './echo-fixture.js'

interface Certificate {
  readonly certificate: string
  readonly privateKey: string
}

let directory = ''

function openssl(...words: string[]): void {
  execFileSync('openssl', words, { cwd: directory, stdio: 'ignore' })
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function authority(name: string): Certificate {
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.crt`,
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
  )
  return read(name)
}

function issue(name: string, host: string, by: string): Certificate {
  openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
  writeFileSync(join(directory, `${name}.ext`), `subjectAltName=${host}\n`)
  const signer = ['-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial', '-days', '2']
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...signer,
    '-out',
    `${name}.crt`,
    '-extfile',
    `${name}.ext`,
  )
  return read(name)
}

function read(name: string): Certificate {
  const text = (ending: string): string =>
    readFileSync(join(directory, `${name}.${ending}`), 'utf8')
  return { certificate: text('crt'), privateKey: text('key') }
}

describe('grpc over TLS', () => {
  const certificates = new Map<string, Certificate>()
  const of = (name: string): Certificate => certificates.get(name)!

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'tls-'))
    certificates.set('ca', authority('ca'))
    certificates.set('other-ca', authority('other-ca'))
    certificates.set('server', issue('server', 'IP:127.0.0.1,DNS:runner.internal', 'ca'))
    certificates.set('client', issue('client', 'DNS:gateway.internal', 'ca'))
    certificates.set('stranger', issue('stranger', 'DNS:gateway.internal', 'other-ca'))
  })
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true })
  })

  test('a caller that trusts the authority is served; the name is checked', async () => {
    await using echo = await startEcho({}, { tls: of('server') })
    const ca = of('ca').certificate
    const trusting = echo.connect({ token, tls: { ca } }).client
    expect(await trusting.sayBack({ text: 'safe' })).toEqual({ text: 'safe' })
    const byName = echo.connect({ token, tls: { ca, serverName: 'runner.internal' } }).client
    expect(await byName.sayBack({ text: 'safe' })).toEqual({ text: 'safe' })
    const wrongName = echo.connect({
      token,
      tls: { ca, serverName: 'evil.internal' },
      connectTimeoutMs: 500,
    })
    await expect(
      wrongName.client.sayBack({ text: '' }, { timeoutMs: 1_000 }),
    ).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('plain text, and a caller that does not know the authority, get no connection (S4)', async () => {
    await using echo = await startEcho({}, { tls: of('server') })
    const attempts = [{}, { tls: {} }, { tls: { ca: of('other-ca').certificate } }]
    for (const attempt of attempts) {
      const { client } = echo.connect({ token, connectTimeoutMs: 500, ...attempt })
      const call = client.sayBack({ text: '' }, { timeoutMs: 1_000, idempotent: false })
      await expect(call).rejects.toMatchObject({ code: 'unavailable' })
    }
  })

  test('with a client authority only its certificates connect (S4)', async () => {
    const ca = of('ca').certificate
    await using echo = await startEcho({}, { tls: { ...of('server'), clientCa: ca } })
    const known = echo.connect({ token, tls: { ca, ...of('client') } }).client
    expect(await known.sayBack({ text: 'mutual' })).toEqual({ text: 'mutual' })
    for (const tls of [{ ca }, { ca, ...of('stranger') }]) {
      const { client } = echo.connect({ token, tls, connectTimeoutMs: 500 })
      const call = client.sayBack({ text: '' }, { timeoutMs: 1_000, idempotent: false })
      await expect(call).rejects.toMatchObject({ code: 'unavailable' })
    }
  })
})

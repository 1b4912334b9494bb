import { startIssuer, type Issuer, type TokenWish } from '@sciencediscovery/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { authenticatorOf, type AuthVariables } from './authenticator.js'
import type { Principal } from './call.js'
import { startEcho, type EchoSetup } from './echo-fixture.js'
import { serviceToken } from './static-token-auth.js'

const fixed = 'token-among-services'

function authOf(issuer: Issuer): AuthVariables {
  return {
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
    AUTH_ROLES_CLAIM: 'groups',
    AUTH_OWNER_ROLE: 'science-owners',
  }
}

describe('signed tokens over the wire (S4)', () => {
  let issuer: Issuer
  let echo: EchoSetup
  let seen: Principal[]

  beforeEach(async () => {
    issuer = await startIssuer()
    seen = []
    const tokens = [serviceToken(fixed)]
    echo = await startEcho(
      {
        sayBack: (request, { principal }) => {
          seen.push(principal)
          return Promise.resolve(request)
        },
      },
      { authenticate: authenticatorOf({ tokens, auth: authOf(issuer), keyCooldownMs: 0 }) },
    )
  })
  afterEach(async () => {
    await echo[Symbol.asyncDispose]()
    await issuer[Symbol.asyncDispose]()
  })

  async function call(token: string): Promise<Principal | undefined> {
    await echo.connect({ token }).client.sayBack({ text: '' }, { idempotent: false })
    return seen.at(-1)
  }
  const callAs = async (wanted: TokenWish): Promise<Principal | undefined> =>
    call(await issuer.tokenFor('grace', wanted))

  test('a good token is its subject, and nothing more', async () => {
    expect(await callAs({})).toEqual({ id: 'grace', roles: [] })
  })

  test('no claim makes a person a service; the configured one makes an owner (S4)', async () => {
    const service = { claims: { groups: ['service', 'owner', 'admin'] } }
    expect(await callAs(service)).toEqual({ id: 'grace', roles: [] })
    const owner = { claims: { groups: ['service', 'science-owners'] } }
    expect(await callAs(owner)).toEqual({ id: 'grace', roles: ['owner'] })
  })

  test('the fixed token is taken beside them', async () => {
    expect(await call(fixed)).toEqual({ id: 'local', roles: ['service'] })
    await expect(call('no-such-token-here')).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test.each<[string, TokenWish, string]>([
    ['expired', { expiresInSeconds: -60 }, 'token_expired'],
    ['for another audience', { audience: 'another' }, 'token_invalid'],
    ['of another issuer', { issuer: 'https://evil.test' }, 'token_invalid'],
    ['by an unknown key', { keyId: 'nobody-knows' }, 'token_invalid'],
    ['without a signature (alg none)', { unsigned: true }, 'token_invalid'],
  ])('a token %s is unauthenticated', async (_, wanted, reason) => {
    await expect(callAs(wanted)).rejects.toMatchObject({
      code: 'unauthenticated',
      details: { reason },
    })
    expect(seen).toEqual([])
  })

  test('a forged signature, and a token cut short, are unauthenticated', async () => {
    const good = await issuer.tokenFor('grace')
    const [header, payload, signature = ''] = good.split('.')
    const other = Buffer.from(JSON.stringify({ sub: 'root', exp: 9e9 })).toString('base64url')
    for (const forged of [`${header}.${other}.${signature}`, `${header}.${payload}.`]) {
      await expect(call(forged)).rejects.toMatchObject({ code: 'unauthenticated' })
    }
  })

  test('after a rotation the new key is found, and the old one is good no more', async () => {
    const old = await issuer.tokenFor('grace')
    await call(old)
    await issuer.rotate()
    expect(await callAs({})).toMatchObject({ id: 'grace' })
    await expect(call(old)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('while the keys cannot be had, known ones are good and others unavailable, not refused', async () => {
    await callAs({})
    issuer.setReachable(false)
    expect(await callAs({})).toMatchObject({ id: 'grace' })
    await issuer.rotate()
    await expect(callAs({})).rejects.toMatchObject({ code: 'unavailable' })
    issuer.setReachable(true)
    expect(await callAs({})).toMatchObject({ id: 'grace' })
  })
})

describe('the configuration of signed tokens', () => {
  const whole: AuthVariables = {
    AUTH_ISSUER: 'https://issuer.test',
    AUTH_AUDIENCE: 'us',
    AUTH_JWKS_URL: 'https://issuer.test/keys',
    AUTH_ROLES_CLAIM: 'roles',
  }
  const build = (auth: AuthVariables, allowPlaintext = false) => {
    return () => authenticatorOf({ tokens: [], auth, allowPlaintext })
  }

  test('half of it does not start, and names what is missing', () => {
    const { AUTH_AUDIENCE: _, ...half } = whole
    expect(build(half)).toThrow(/AUTH_AUDIENCE/)
    expect(build({ AUTH_ROLES_CLAIM: 'roles', AUTH_AUDIENCE: 'us' })).toThrow(/AUTH_ISSUER/)
  })

  test('keys come by https, from this machine, or where plain text is allowed', () => {
    const plain = { ...whole, AUTH_JWKS_URL: 'http://issuer.test/keys' }
    expect(build(plain)).toThrow(/AUTH_JWKS_URL/)
    expect(build(plain, true)).not.toThrow()
    expect(build({ ...whole, AUTH_JWKS_URL: 'http://127.0.0.1:1/keys' })).not.toThrow()
  })
})

import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import {
  type CryptoKey,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
  exportJWK,
  generateKeyPair,
} from 'jose'

/** An issuer of signed tokens on loopback, as a company's sign-in service is one. */
export interface Issuer extends AsyncDisposable {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  /** A token for somebody; what a test wants wrong about it, it says. */
  tokenFor(subject: string, wanted?: TokenWish): Promise<string>
  /** Signs with a new key from now on, and publishes that one alone. */
  rotate(): Promise<void>
  /** Whether the address of the keys answers. */
  setReachable(reachable: boolean): void
  /** How often the keys were asked for. */
  readonly looks: () => number
}

/** How a token differs from a good one. */
export interface TokenWish {
  readonly issuer?: string
  readonly audience?: string
  readonly expiresInSeconds?: number
  readonly keyId?: string
  /** No signature at all. */
  readonly unsigned?: boolean
  readonly claims?: JWTPayload
}

const issuerUrl = 'https://issuer.test'
const audience = 'sciencediscovery'

/** Starts one on a free port. */
export async function startIssuer(): Promise<Issuer> {
  let { key, published } = await newKey(1)
  let generation = 1
  let reachable = true
  let looks = 0
  const answer = (_request: IncomingMessage, response: ServerResponse): void => {
    looks += 1
    response.writeHead(reachable ? 200 : 503, { 'content-type': 'application/json' })
    response.end(reachable ? JSON.stringify({ keys: [published] }) : 'down')
  }
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    ...{ issuer: issuerUrl, audience, jwksUrl: `http://127.0.0.1:${port}/keys` },
    looks: () => looks,
    setReachable: (now) => {
      reachable = now
    },
    async rotate() {
      generation += 1
      ;({ key, published } = await newKey(generation))
    },
    tokenFor: (subject, wanted = {}) => sign({ key, keyId: `key-${generation}` }, subject, wanted),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function newKey(generation: number) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const published = { ...(await exportJWK(publicKey)), kid: `key-${generation}`, alg: 'ES256' }
  return { key: privateKey, published }
}

async function sign(
  { key, keyId }: { readonly key: CryptoKey; readonly keyId: string },
  subject: string,
  wanted: TokenWish,
): Promise<string> {
  const expires = Math.floor(Date.now() / 1_000) + (wanted.expiresInSeconds ?? 300)
  const fill = <Token extends SignJWT | UnsecuredJWT>(token: Token): Token => {
    token.setIssuer(wanted.issuer ?? issuerUrl)
    token.setAudience(wanted.audience ?? audience)
    token.setSubject(subject)
    token.setExpirationTime(expires)
    return token
  }
  const { claims = {} } = wanted
  if (wanted.unsigned === true) return fill(new UnsecuredJWT(claims)).encode()
  const header = { alg: 'ES256', kid: wanted.keyId ?? keyId }
  return fill(new SignJWT(claims).setProtectedHeader(header)).sign(key)
}

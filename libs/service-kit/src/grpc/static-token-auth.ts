import { createHash, timingSafeEqual } from 'node:crypto'
import { PlatformError } from '@sciencediscovery/kernel'
import type { Authenticate } from './authentication.js'
import type { Principal } from './call.js'

/** One fixed token and whom it stands for. */
export interface StaticToken {
  readonly token: string
  readonly principal: Principal
}

/** Authenticates by fixed tokens, for local use and between services. Every token is compared, in constant time. */
export function staticTokenAuth(tokens: readonly StaticToken[]): Authenticate {
  const known = tokens.map(({ token, principal }) => ({ digest: sha256(token), principal }))
  return (token) => {
    if (token === undefined) throw missingToken()
    const digest = sha256(token)
    const [match] = known.filter((entry) => timingSafeEqual(entry.digest, digest))
    if (match) return match.principal
    throw new PlatformError('unauthenticated', 'the token is not known here', {
      reason: 'token_unknown',
      remedy: 'send a token that this server was given',
    })
  }
}

/** The one token that the services of an installation trust each other, and their console, by. */
export function serviceTokenAuth(token: string): Authenticate {
  return staticTokenAuth([serviceToken(token)])
}

/** The token by which services know each other. */
export function serviceToken(token: string): StaticToken {
  return { token, principal: { id: 'local', roles: ['service'] } }
}

/** The answer to a call without a token. */
export function missingToken(): PlatformError {
  return new PlatformError('unauthenticated', 'the call carries no token', {
    reason: 'token_missing',
    field: 'authorization',
    remedy: 'send the header authorization: Bearer <token>',
  })
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

import { PlatformError } from '@sciencediscovery/kernel'
import { createRemoteJWKSet, errors, jwtVerify, type CryptoKey, type JWTVerifyOptions } from 'jose'
import type { JWTPayload, JWTVerifyGetKey, KeyObject } from 'jose'
import { z } from 'zod'
import type { Authenticate } from './authentication.js'
import type { Principal } from './call.js'
import { missingToken } from './static-token-auth.js'

/** Whose tokens are taken: keys from the issuer's address, or one key. */
export interface JwtAuthOptions {
  readonly issuer: string
  readonly audience: string
  /** Where the issuer publishes its keys. */
  readonly jwksUrl?: string | undefined
  /** One public key (or shared secret, at least 32 bytes) instead. */
  readonly key?: CryptoKey | KeyObject | Uint8Array | undefined
  /** The claim that lists roles; `roles` unless told otherwise. */
  readonly rolesClaim?: string | undefined
  /** How long after a look at the keys an unknown one causes the next look; 5 s unless told otherwise. */
  readonly keyCooldownMs?: number | undefined
}

/** Signatures by a private key alone: a public key must never pass for a shared secret. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const sharedAlgorithms = ['HS256', 'HS384', 'HS512']

const RolesSchema = z.union([z.array(z.string()), z.string().transform((text) => text.split(' '))])

/** Authenticates by signed tokens (OIDC): signature, issuer, audience and expiry must all hold. */
export function jwtAuth(options: JwtAuthOptions): Authenticate {
  const { issuer, audience, rolesClaim = 'roles' } = options
  const keys = keySource(options)
  const checks: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms: options.key instanceof Uint8Array ? sharedAlgorithms : algorithms,
    requiredClaims: ['sub', 'exp'],
    clockTolerance: 5,
  }
  return async (token) => {
    if (token === undefined) throw missingToken()
    try {
      const { payload } = await jwtVerify(token, keys, checks)
      return toPrincipal(payload, rolesClaim)
    } catch (error) {
      throw toRefusal(error)
    }
  }
}

function keySource({ jwksUrl, key, keyCooldownMs = 5_000 }: JwtAuthOptions): JWTVerifyGetKey {
  if (jwksUrl !== undefined) {
    const times = { timeoutDuration: 5_000, cooldownDuration: keyCooldownMs }
    return createRemoteJWKSet(new URL(jwksUrl), times)
  }
  if (key !== undefined) return () => key
  throw new PlatformError('invalid', 'jwksUrl: neither keys nor their address are given', {
    field: 'jwksUrl',
    remedy: 'give jwksUrl, or key',
  })
}

function toPrincipal(payload: JWTPayload, rolesClaim: string): Principal {
  const roles = RolesSchema.safeParse(payload[rolesClaim])
  return { id: payload.sub ?? '', roles: roles.success ? roles.data : [] }
}

function toRefusal(error: unknown): PlatformError {
  if (error instanceof errors.JWTExpired) {
    return new PlatformError('unauthenticated', 'the token has expired', {
      reason: 'token_expired',
      remedy: 'fetch a new token from the issuer',
    })
  }
  if (error instanceof errors.JOSEError && !isAboutKeys(error)) {
    return new PlatformError('unauthenticated', 'the token is not valid here', {
      reason: 'token_invalid',
      remedy: 'send a token of the configured issuer for this audience',
      cause: error,
    })
  }
  return new PlatformError('unavailable', 'the keys of the issuer cannot be fetched', {
    cause: error,
  })
}

/** The issuer's address gave no keys: that says nothing about the token. */
function isAboutKeys(error: errors.JOSEError): boolean {
  const codes = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]
  return codes.includes(error.code)
}

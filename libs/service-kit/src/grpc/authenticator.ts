import { isLoopback } from './transport-security.js'
import { PlatformError, invalid } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { loadConfig, type Environment } from '../config.js'
import type { Authenticate } from './authentication.js'
import { jwtAuth } from './jwt-auth.js'
import { staticTokenAuth, type StaticToken } from './static-token-auth.js'

/** The variables that say whose signed tokens are taken. The same names in every service; none set: none are. */
export const authShape = {
  AUTH_ISSUER: z.string().optional(),
  AUTH_AUDIENCE: z.string().optional(),
  /** Where the issuer publishes its keys. */
  AUTH_JWKS_URL: z.url().optional(),
  AUTH_ROLES_CLAIM: z.string().default('roles'),
  /** What the claim says of an owner of this installation; nobody is one by token unless set. */
  AUTH_OWNER_ROLE: z.string().optional(),
}

/** Whose signed tokens are taken. */
export type AuthVariables = z.output<z.ZodObject<typeof authShape>>

/** Whose signed tokens are taken, where no more than that is read. */
export function loadAuth(env: Environment): AuthVariables {
  return loadConfig(z.object(authShape), env)
}

/** All ways into a server. */
export interface AuthenticatorOptions {
  readonly tokens: readonly StaticToken[]
  readonly auth?: AuthVariables | undefined
  /** Keys may come without TLS: a mesh encrypts below us. */
  readonly allowPlaintext?: boolean | undefined
  /** How long after a look at the issuer's keys an unknown key causes the next one; 5 s unless told otherwise. */
  readonly keyCooldownMs?: number | undefined
}

/** Authenticates by fixed tokens and, when an issuer is configured, by its signed tokens. */
export function authenticatorOf(options: AuthenticatorOptions): Authenticate {
  const fixed = staticTokenAuth(options.tokens)
  const signed = signedBy(options)
  if (!signed) return fixed
  return (token, method) =>
    token !== undefined && isSigned(token) ? signed(token, method) : fixed(token, method)
}

/** Header, payload and signature; fixed tokens have no dots. */
function isSigned(token: string): boolean {
  return token.split('.').length === 3
}

function signedBy(options: AuthenticatorOptions): Authenticate | undefined {
  const { auth, allowPlaintext = false, keyCooldownMs } = options
  if (!auth) return undefined
  const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_JWKS_URL: jwksUrl } = auth
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined
  if (issuer === undefined) throw incomplete('AUTH_ISSUER')
  if (audience === undefined) throw incomplete('AUTH_AUDIENCE')
  if (jwksUrl === undefined) throw incomplete('AUTH_JWKS_URL')
  requireSafe(jwksUrl, allowPlaintext)
  const verify = jwtAuth({
    issuer,
    audience,
    jwksUrl,
    rolesClaim: auth.AUTH_ROLES_CLAIM,
    keyCooldownMs,
  })
  return async (token, method) => {
    const { id, roles } = await verify(token, method)
    const ownerRole = auth.AUTH_OWNER_ROLE
    const isOwner = ownerRole !== undefined && roles.includes(ownerRole)
    // Whatever else an issuer says: its tokens make people, never services.
    return { id, roles: isOwner ? ['owner'] : [] }
  }
}

function incomplete(variable: string): PlatformError {
  return new PlatformError('invalid', `${variable}: is not set, other AUTH_ variables are`, {
    field: variable,
    remedy: 'set AUTH_ISSUER, AUTH_AUDIENCE and AUTH_JWKS_URL, or none of them',
  })
}

/** Whoever can change the keys on their way can be anybody. */
function requireSafe(jwksUrl: string, allowPlaintext: boolean): void {
  const { protocol, hostname } = new URL(jwksUrl)
  if (protocol === 'https:' || (protocol === 'http:' && (allowPlaintext || isLoopback(hostname))))
    return
  throw invalid('AUTH_JWKS_URL', 'is not https', 'fetch the keys by https, or from this machine')
}

import type { Principal } from './call.js'

/**
 * Says who holds the token, or throws `unauthenticated` or `forbidden`. The method is the full
 * path of the call. Without an answer from here no handler runs.
 */
export type Authenticate = (
  token: string | undefined,
  method: string,
) => Principal | Promise<Principal>

/** The token of an `authorization: Bearer …` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

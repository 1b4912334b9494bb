import { ServerInterceptingCall, type Metadata, type ServerInterceptor } from '@grpc/grpc-js'
import type { Guard } from '../access/guard.js'
import type { Authenticate } from './authentication.js'
import { bearerToken } from './authentication.js'
import type { Principal } from './call.js'
import { toErrorStatus } from './error-status.js'
import { headerOf } from './header.js'
import { principalFor } from './identity-header.js'

/** Lets a call in before any of its body is read, and remembers who it is. */
export interface Admission {
  readonly interceptor: ServerInterceptor
  /** Who made the call with this metadata; undefined when nobody let it in. */
  principalOf(metadata: Metadata): Principal | undefined
}

/** Who gets in: by token, then by what the token's holder may call at all. */
export interface Door {
  readonly authenticate: Authenticate
  readonly guard: Guard
}

/** Health is open: probes carry no token. */
const openMethods = /^\/grpc\.health\.v1\.Health\//
const anonymous: Principal = { id: 'anonymous', roles: [] }

/** Authenticates every call by its metadata, health excepted, and refuses whom no request would help. */
export function createAdmission(
  { authenticate, guard }: Door,
  onRefused: (method: string, error: unknown) => void,
): Admission {
  const principals = new WeakMap<Metadata, Principal>()
  const identify = async (metadata: Metadata, path: string): Promise<Principal> => {
    if (openMethods.test(path)) return anonymous
    const token = bearerToken(headerOf(metadata, 'authorization'))
    const principal = principalFor(await authenticate(token, path), metadata)
    guard.atDoor(principal, path)
    return principal
  }

  const interceptor: ServerInterceptor = (method, call) => {
    const admit = async (metadata: Metadata, proceed: (metadata: Metadata) => void) => {
      try {
        principals.set(metadata, await identify(metadata, method.path))
      } catch (error) {
        onRefused(method.path, error)
        call.sendStatus(toErrorStatus(error))
        return
      }
      proceed(metadata)
    }
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({ onReceiveMetadata: (metadata, proceed) => void admit(metadata, proceed) })
      },
    })
  }
  return { interceptor, principalOf: (metadata) => principals.get(metadata) }
}

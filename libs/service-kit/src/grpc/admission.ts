import { ServerInterceptingCall, type Metadata, type ServerInterceptor } from '@grpc/grpc-js'
import type { Authenticate } from './authentication.js'
import { bearerToken } from './authentication.js'
import type { Principal } from './call.js'
import { toErrorStatus } from './error-status.js'
import { headerOf } from './header.js'

/** Lets a call in before any of its body is read, and remembers who it is. */
export interface Admission {
  readonly interceptor: ServerInterceptor
  /** Who made the call with this metadata; undefined when nobody let it in. */
  principalOf(metadata: Metadata): Principal | undefined
}

/** Health is open: probes carry no token. */
const openMethods = /^\/grpc\.health\.v1\.Health\//
const anonymous: Principal = { id: 'anonymous', roles: [] }

/** Authenticates every call by its metadata, health excepted. */
export function createAdmission(
  authenticate: Authenticate,
  onRefused: (method: string, error: unknown) => void,
): Admission {
  const principals = new WeakMap<Metadata, Principal>()
  const identify = (metadata: Metadata, path: string): Principal | Promise<Principal> =>
    openMethods.test(path)
      ? anonymous
      : authenticate(bearerToken(headerOf(metadata, 'authorization')), path)

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

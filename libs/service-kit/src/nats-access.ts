import { readFileSync } from 'node:fs'
import { type NatsCredentials } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'

/** How the environment says where the bus is and who asks. */
export interface NatsVariables {
  readonly NATS_URL?: string | undefined
  readonly NATS_USER?: string | undefined
  readonly NATS_PASSWORD?: string | undefined
  readonly NATS_CREDS_FILE?: string | undefined
}

/** Servers without secrets, and the secrets apart from them. */
export interface NatsAccess {
  readonly servers: readonly string[]
  readonly credentials: NatsCredentials | undefined
}

/** Takes `user:password@` out of the addresses: what names a server is logged, what opens it is not. */
export function natsAccessOf(url: string, variables: NatsVariables): NatsAccess {
  const addresses = url.split(',').map((address) => address.trim())
  const servers = addresses.map((address) => address.replace(/^([a-z]+:\/\/)?[^@/]*@/, '$1'))
  return { servers, credentials: credentialsOf(variables) ?? credentialsIn(addresses) }
}

function credentialsOf(variables: NatsVariables): NatsCredentials | undefined {
  const { NATS_USER: user, NATS_PASSWORD: password, NATS_CREDS_FILE: file } = variables
  if (file !== undefined) return { kind: 'creds', creds: readCreds(file) }
  if (user === undefined && password === undefined) return undefined
  if (user === undefined) throw incomplete('NATS_USER')
  if (password === undefined) throw incomplete('NATS_PASSWORD')
  return { kind: 'user', user, password }
}

function credentialsIn(addresses: readonly string[]): NatsCredentials | undefined {
  const [, user, password] =
    addresses
      .map((address) => /^(?:[a-z]+:\/\/)?([^:@/]+)(?::([^@/]*))?@/.exec(address))
      .find(Boolean) ?? []
  if (user === undefined) return undefined
  if (password === undefined) return { kind: 'token', token: decodeURIComponent(user) }
  const decoded = { user: decodeURIComponent(user), password: decodeURIComponent(password) }
  return { kind: 'user', ...decoded }
}

function readCreds(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new PlatformError('invalid', `NATS_CREDS_FILE: ${file} cannot be read`, {
      cause,
      field: 'NATS_CREDS_FILE',
      remedy: 'name a file of credentials that this process may read',
    })
  }
}

function incomplete(variable: string): PlatformError {
  return new PlatformError('invalid', `${variable}: is not set, its other half is`, {
    field: variable,
    remedy: 'set NATS_USER and NATS_PASSWORD, or NATS_CREDS_FILE',
  })
}

import {
  type ConnectionOptions,
  Events,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  connect,
  createInbox,
  credsAuthenticator,
} from 'nats'
import { PlatformError } from '@sciencediscovery/kernel'
import { Gate } from '../gate.js'
import { refuseOldServer } from './server-version.js'
import { inboxPrefixOf } from './user-permissions.js'

/** How a service shows who it is. */
export type NatsCredentials =
  | { readonly kind: 'user'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  /** The content of a `.creds` file. */
  | { readonly kind: 'creds'; readonly creds: string }

export interface ConnectionSetting {
  readonly servers: string | readonly string[]
  readonly credentials?: NatsCredentials | undefined
  readonly tls?:
    { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined
  /** Shown in the server's connection list. */
  readonly name?: string | undefined
}

export interface RequestSetting {
  readonly timeoutMs: number
  readonly headers?: MsgHdrs
  readonly signal?: AbortSignal | undefined
}

const connectTimeoutMs = 5_000

/** The connection, with what nats.js leaves to its users: abortable requests and news of reconnects. */
export class NatsLink {
  readonly nc: NatsConnection
  readonly reconnected = new Gate()
  readonly #inboxPrefix: string

  constructor(nc: NatsConnection, inboxPrefix: string) {
    this.nc = nc
    this.#inboxPrefix = inboxPrefix
    void this.#watch()
  }

  get version(): string {
    return this.nc.info?.version ?? 'unknown'
  }

  /** A new subject for answers, where this user may listen. */
  newInbox(): string {
    return createInbox(this.#inboxPrefix)
  }

  /** Fails with what nats.js fails with, or `cancelled` when the signal aborts first. */
  async request(
    subject: string,
    payload: Uint8Array | string,
    setting: RequestSetting,
  ): Promise<Msg> {
    const { signal, headers, timeoutMs } = setting
    if (signal?.aborted) throw new PlatformError('cancelled', 'the caller left')
    const answer = this.nc.request(subject, payload, {
      timeout: timeoutMs,
      ...(headers ? { headers } : {}),
    })
    if (!signal) return answer
    return new Promise<Msg>((resolve, reject) => {
      const leave = (): void => {
        reject(new PlatformError('cancelled', 'the caller left'))
      }
      signal.addEventListener('abort', leave, { once: true })
      answer.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', leave)
      })
    })
  }

  async #watch(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === Events.Reconnect) this.reconnected.open()
    }
  }
}

/** Connects, and refuses a server that cannot keep what a ledger must. */
export async function connectLink(setting: ConnectionSetting): Promise<NatsLink> {
  const servers =
    typeof setting.servers === 'string' ? setting.servers.split(',') : [...setting.servers]
  const inboxPrefix = inboxOf(setting.credentials)
  let nc: NatsConnection
  try {
    nc = await connect({
      servers,
      name: setting.name ?? 'sciencediscovery',
      timeout: connectTimeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      pingInterval: 5_000,
      maxPingOut: 2,
      noAsyncTraces: true,
      inboxPrefix,
      ...authOptions(setting),
    })
  } catch (cause) {
    throw new PlatformError(
      'unavailable',
      `no NATS server answers at ${servers.map(withoutSecrets).join(', ')}`,
      {
        cause,
        remedy:
          'check NATS_URL, the credentials, and that the server runs; unset NATS_URL to work without one',
      },
    )
  }
  try {
    refuseOldServer(nc.info?.version ?? '0.0.0', nc.info?.jetstream ?? false)
  } catch (error) {
    await nc.close()
    throw error
  }
  return new NatsLink(nc, inboxPrefix)
}

/** Where the server's permissions let a user listen for answers. */
function inboxOf(credentials: NatsCredentials | undefined): string {
  return credentials?.kind === 'user' ? inboxPrefixOf(credentials.user) : '_INBOX'
}

function authOptions({ credentials, tls }: ConnectionSetting): ConnectionOptions {
  const options: ConnectionOptions = tls ? { tls } : {}
  switch (credentials?.kind) {
    case 'user':
      return { ...options, user: credentials.user, pass: credentials.password }
    case 'token':
      return { ...options, token: credentials.token }
    case 'creds':
      return {
        ...options,
        authenticator: credsAuthenticator(new TextEncoder().encode(credentials.creds)),
      }
    case undefined:
      return options
  }
}

function withoutSecrets(server: string): string {
  return server.replace(/\/\/[^@/]*@/, '//')
}

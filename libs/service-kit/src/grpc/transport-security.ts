import { credentials, ServerCredentials, type ChannelCredentials } from '@grpc/grpc-js'
import { PlatformError } from '@sciencediscovery/kernel'

/** Certificates of a server, PEM. With `clientCa` only callers that hold a certificate of it connect. */
export interface ServerTls {
  readonly certificate: string
  readonly privateKey: string
  readonly clientCa?: string | undefined
}

/** Certificates of a caller, PEM. `ca` replaces the system's authorities. */
export interface ChannelTls {
  readonly ca?: string | undefined
  readonly certificate?: string | undefined
  readonly privateKey?: string | undefined
  /** The name the server's certificate carries, when it is not the host. */
  readonly serverName?: string | undefined
}

/** The credentials of a server; plain text only on loopback, or where that was asked for. */
export function serverCredentials(
  host: string,
  tls: ServerTls | undefined,
  allowPlaintext: boolean,
): ServerCredentials {
  if (tls) {
    const pair = {
      private_key: Buffer.from(tls.privateKey),
      cert_chain: Buffer.from(tls.certificate),
    }
    const ca = tls.clientCa === undefined ? null : Buffer.from(tls.clientCa)
    return ServerCredentials.createSsl(ca, [pair], ca !== null)
  }
  if (!allowPlaintext && !isLoopback(host)) {
    throw new PlatformError('invalid', `host: ${host} is not loopback and there is no TLS`, {
      field: 'host',
      remedy: 'set certificate and key, listen on 127.0.0.1, or allow plain text explicitly',
    })
  }
  return ServerCredentials.createInsecure()
}

/** The credentials of a caller. */
export function channelCredentials(tls: ChannelTls | undefined): ChannelCredentials {
  return tls
    ? credentials.createSsl(pem(tls.ca), pem(tls.privateKey), pem(tls.certificate))
    : credentials.createInsecure()
}

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return (
    host.startsWith('unix:') ||
    host === 'localhost' ||
    host === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(host)
  )
}

function pem(text: string | undefined): Buffer | null {
  return text === undefined ? null : Buffer.from(text)
}

import { isPlatformError, PlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { connectChannel, withDeadline, type Channel } from '@sciencediscovery/service-kit'

/** Where a stack listens and what it wants to see. */
export interface StackAddress {
  readonly address: string
  readonly token?: string | undefined
}

const answerTimeoutMs = 5_000
const connectTimeoutMs = 2_000
const healthCheck = '/grpc.health.v1.Health/Check'

/** A channel to a stack that answers; `unavailable` when there is none. */
export async function openChannel(
  { address, token }: StackAddress,
  signal: AbortSignal,
): Promise<Channel> {
  const { target, tls } = parseAddress(address)
  const channel = connectChannel(target, { token, connectTimeoutMs, ...(tls && { tls: {} }) })
  try {
    await channel.unary(healthCheck, Buffer.alloc(0), {
      signal: withDeadline(signal, answerTimeoutMs),
    })
    return channel
  } catch (error) {
    if (isAnswer(error) && !signal.aborted) return channel
    channel.close()
    if (signal.aborted) throw error
    throw new PlatformError('unavailable', `nothing answers at ${address}`, {
      field: '--server',
      remedy: "check the address, or start a stack with 'scid up'",
      cause: error,
    })
  }
}

/** Whether an address can be one: `host:port`, `unix:PATH`, or `https://host:port` for TLS. */
export function isAddress(address: string): boolean {
  return /^(unix:.+|(https?:\/\/)?(\[[0-9a-fA-F:.%]+\]|[^\s/:[\]]+):\d{1,5}\/?)$/.test(address)
}

function parseAddress(address: string): { readonly target: string; readonly tls: boolean } {
  const [, scheme, target] = /^(https?):\/\/(.*?)\/?$/.exec(address) ?? []
  return { target: target ?? address, tls: scheme === 'https' }
}

/** A server that refuses the question is there all the same. */
function isAnswer(error: unknown): boolean {
  const { code } = toPlatformError(error)
  return (
    isPlatformError(error) && !['unavailable', 'deadline', 'cancelled', 'unknown'].includes(code)
  )
}

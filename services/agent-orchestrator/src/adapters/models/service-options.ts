import { invalid, type Digest } from '@sciencediscovery/kernel'
import { createRedact } from './redact.js'
import { type StreamContext } from './stream-turn.js'
import { systemTiming, type Timing } from './timing.js'

/** Bytes of an image by its digest. */
export type LoadImage = (digest: Digest, signal: AbortSignal) => Promise<Uint8Array>

/** What both model services need. */
export interface ServiceOptions {
  readonly apiKey: string
  readonly baseUrl?: string
  readonly model: string
  readonly loadImage: LoadImage
  /** Whether the model takes images; without it they are named only. */
  readonly sees: boolean
  /** The longest silence, before the first chunk and between chunks. */
  readonly idleTimeoutMs?: number
  /** Fields of the request body that we do not set ourselves: temperature, reasoning effort, thinking. */
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly timing?: Timing
}

const defaultIdleTimeoutMs = 240_000

/** The failure context of a service whose options are sound; refuses the others without quoting secrets. */
export function toServiceContext(service: string, options: ServiceOptions): StreamContext {
  checkKey(options.apiKey)
  if (options.baseUrl !== undefined) checkBaseUrl(options.baseUrl)
  if (options.model.trim() === '') throw invalid('model', 'is empty', `send ${service}:NAME`)
  const timing = options.timing ?? systemTiming
  return {
    service,
    redact: createRedact(options.apiKey),
    now: timing.now,
    timing,
    idleTimeoutMs: options.idleTimeoutMs ?? defaultIdleTimeoutMs,
  }
}

/** A key that no header can carry would be quoted in full by the error of the HTTP client. */
function checkKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw invalid(
      'apiKey',
      'is empty or has characters other than printable ASCII',
      'check for blanks and line ends',
    )
}

function checkBaseUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw invalid('baseUrl', 'is not an http or https address', 'send for example https://host/v1')
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw invalid('baseUrl', 'has credentials or a query', 'pass the key as the API key')
}

import { type Digest, isPlatformError, type PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type ModelDelta, type ModelMessage, type ModelRequest } from '../../model-provider.js'

/** A request with everything but its messages fixed. */
export function requestWith(
  messages: readonly ModelMessage[],
  changes: Partial<ModelRequest> = {},
): ModelRequest {
  return { turnsCompleted: 0, attempt: 1, messages, tools: [], maxOutputTokens: 1000, ...changes }
}

/** Call options that keep the deltas. */
export function collectDeltas(signal: AbortSignal = new AbortController().signal): {
  readonly deltas: ModelDelta[]
  readonly options: { readonly signal: AbortSignal; readonly onDelta: (delta: ModelDelta) => void }
} {
  const deltas: ModelDelta[] = []
  return { deltas, options: { signal, onDelta: (delta) => deltas.push(delta) } }
}

/** A digest by a readable name. */
export function digestOf(name: string): Digest {
  return z.custom<Digest>().parse(name)
}

/** The messages of a request body as the service got it. */
export function wireMessages(body: unknown): Record<string, unknown>[] {
  return z.object({ messages: z.array(z.record(z.string(), z.unknown())) }).parse(body).messages
}

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<PlatformError> {
  try {
    await call
  } catch (error) {
    if (isPlatformError(error)) return error
    throw error
  }
  throw new Error('the call did not fail')
}

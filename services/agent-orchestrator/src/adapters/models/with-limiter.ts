import { isPlatformError, PlatformError } from '@sciencediscovery/kernel'
import { type ModelProvider, type ModelRequest, type ModelTurn } from '../../model-provider.js'
import { createLimiter, type Limiter, type ModelLimits } from './limiter.js'

type CallOptions = Parameters<ModelProvider['complete']>[1]

/**
 * The provider behind a limiter, its own or one that it shares. With a fallback, a call that is
 * refused for load before its first byte, or would meet a pause, goes to that model instead.
 */
export function withLimiter(
  provider: ModelProvider,
  limits: ModelLimits | Limiter,
  fallback?: ModelProvider,
): ModelProvider {
  const limiter = 'acquire' in limits ? limits : createLimiter(limits)
  return {
    id: provider.id,
    complete: async (request, options) => {
      if (fallback !== undefined && limiter.coolingForMs() > 0)
        return fallback.complete(request, options)
      try {
        return await limited(provider, limiter, request, options)
      } catch (error) {
        if (fallback === undefined || !isLoadFailure(error)) throw error
        return askFallback(fallback, request, options, error)
      }
    },
  }
}

async function limited(
  provider: ModelProvider,
  limiter: Limiter,
  request: ModelRequest,
  options: CallOptions,
): Promise<ModelTurn> {
  const release = await limiter.acquire(options.signal)
  try {
    return await provider.complete(request, options)
  } catch (error) {
    throw isPlatformError(error) && error.details.reason === 'rate_limited'
      ? new PlatformError(error.code, error.message, {
          ...error.details,
          retryAfterMs: limiter.coolDown(error.details.retryAfterMs),
        })
      : error
  } finally {
    release()
  }
}

/** The first model's failure is the one to act on, unless the second one had already begun to answer. */
async function askFallback(
  fallback: ModelProvider,
  request: ModelRequest,
  options: CallOptions,
  first: unknown,
): Promise<ModelTurn> {
  try {
    return await fallback.complete(request, options)
  } catch (error) {
    const begun = isPlatformError(error) && (error.code === 'unknown' || error.code === 'cancelled')
    throw begun ? error : first
  }
}

function isLoadFailure(error: unknown): boolean {
  return isPlatformError(error) && (error.code === 'exhausted' || error.code === 'unavailable')
}

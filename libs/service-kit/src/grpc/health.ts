import { PlatformError } from '@sciencediscovery/kernel'
import { service as healthDefinition } from 'grpc-health-check'
import { z } from 'zod'
import type { Call } from './call.js'
import type { RawService } from './raw-service.js'
import { bindService } from './typed-service.js'

/** What a probe may ask for: the whole server, whether to restart it, whether to send it calls. */
export type HealthName = '' | 'liveness' | 'readiness'

/** The state that probes see. */
export interface Health {
  /** Says whether this part serves; watchers hear of it. */
  set(name: HealthName, serving: boolean): void
  isServing(name: HealthName): boolean
}

interface HealthService extends Health {
  readonly service: RawService
  /** The server listens: ready too, unless the service speaks for its readiness itself. */
  started(): void
}

type Status = 'SERVING' | 'NOT_SERVING'

const RequestSchema = z.object({ service: z.string() })

/** Health by the gRPC health protocol. Alive from the start, ready only when told so. */
export function createHealth(): HealthService {
  const states = new Map<string, Status>([
    ['', 'NOT_SERVING'],
    ['liveness', 'SERVING'],
    ['readiness', 'NOT_SERVING'],
  ])
  let ownReadiness = false
  const watchers = new Set<() => void>()
  const check = (request: unknown): Promise<{ status: Status }> => {
    const { service } = RequestSchema.parse(request)
    const status = states.get(service)
    if (!status)
      throw new PlatformError('not_found', `health of ${JSON.stringify(service)} not found`)
    return Promise.resolve({ status })
  }
  async function* watch(request: unknown, { signal }: Call) {
    const { service } = RequestSchema.parse(request)
    let told: string | undefined
    while (!signal.aborted) {
      const status = states.get(service) ?? 'SERVICE_UNKNOWN'
      if (status !== told) yield { status: (told = status) }
      else await nextChange(watchers, signal)
    }
  }
  const list = (): Promise<unknown> => {
    const statuses: Record<string, { status: Status }> = {}
    for (const [name, status] of states) statuses[name] = { status }
    return Promise.resolve({ statuses })
  }
  const change = (name: HealthName, serving: boolean): void => {
    states.set(name, serving ? 'SERVING' : 'NOT_SERVING')
    for (const wake of [...watchers]) wake()
  }
  return {
    set(name, serving) {
      ownReadiness ||= name === 'readiness'
      change(name, serving)
    },
    started() {
      change('', true)
      if (!ownReadiness) change('readiness', true)
    },
    isServing: (name) => states.get(name) === 'SERVING',
    service: bindService(healthDefinition, { Check: check, Watch: watch, List: list }),
  }
}

function nextChange(watchers: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      watchers.delete(wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    watchers.add(wake)
    signal.addEventListener('abort', wake, { once: true })
  })
}

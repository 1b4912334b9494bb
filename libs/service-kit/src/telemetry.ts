import { trace } from '@opentelemetry/api'
import type { Environment } from './config.js'
import { withDeadline } from './with-deadline.js'

/** The part of the OpenTelemetry SDK that is needed here. */
export interface TelemetrySdk {
  start(): void
}

/** Whether the standard variables name somebody to send traces or metrics to. */
export function isTelemetryOn(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED === 'true') return false
  return [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    'OTEL_TRACES_EXPORTER',
    'OTEL_METRICS_EXPORTER',
  ].some((name) => (env[name] ?? '') !== '')
}

/** Starts the SDK that `load` brings; loads nothing when nobody is to be told. */
export async function startTelemetry(
  service: string,
  env: Environment,
  load: (service: string) => Promise<TelemetrySdk>,
): Promise<void> {
  if (isTelemetryOn(env)) (await load(env.OTEL_SERVICE_NAME ?? service)).start()
}

const flushMs = 3_000

/** Sends what is still held back, before the process ends. Never fails: a collector may be down. */
export async function flushTelemetry(): Promise<void> {
  const provider: unknown = trace.getTracerProvider()
  const signal = withDeadline(undefined, flushMs)
  const gaveUp = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve()
    })
  })
  await Promise.race([flushed(delegateOf(provider)), gaveUp])
}

async function flushed(provider: unknown): Promise<void> {
  if (typeof provider !== 'object' || provider === null || !('forceFlush' in provider)) return
  const { forceFlush } = provider
  if (typeof forceFlush !== 'function') return
  try {
    await forceFlush.call(provider)
  } catch {
    // Told to nobody: who would be told is who cannot be reached.
  }
}

/** The API hands out a stand-in; the SDK's own provider is behind it. */
function delegateOf(provider: unknown): unknown {
  if (typeof provider !== 'object' || provider === null || !('getDelegate' in provider)) {
    return provider
  }
  const { getDelegate } = provider
  return typeof getDelegate === 'function' ? getDelegate.call(provider) : provider
}

import { createLogger } from './create-logger.js'
import { createLifecycle } from './lifecycle.js'
import type { Logger } from './logger.js'
import { flushTelemetry } from './telemetry.js'

/** How long a process may take to stop. */
export interface RunOptions {
  readonly killAfterMs?: number
}

/**
 * The life of a process: load the configuration, build the service, wait for SIGTERM or SIGINT, take
 * it down. Owns signals and the exit code; a process that has not ended 10 s after the signal is killed.
 */
export async function runService<Config>(
  name: string,
  loadConfig: () => Config,
  createService: (config: Config) => Promise<AsyncDisposable>,
  { killAfterMs = 10_000 }: RunOptions = {},
): Promise<void> {
  const logger = createLogger(name)
  const killLater = (): void => {
    startKillTimer(logger, killAfterMs)
  }
  const stopping = stopSignal(logger, killLater)
  try {
    await using lifecycle = createLifecycle()
    // Last of all: what ends while the service stops is told, too.
    lifecycle.defer(flushTelemetry)
    lifecycle.use(await createService(loadConfig()))
    logger.info({ pid: process.pid }, 'started')
    await stopping
    logger.info({}, 'stopping')
  } catch (error) {
    logger.error({ err: error }, 'failed')
    process.exitCode = 1
    killLater()
  }
}

/** Resolves at the first signal, or when something threw outside every handler; a second signal ends at once. */
function stopSignal(logger: Logger, killLater: () => void): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      killLater()
      resolve()
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    process.once('uncaughtException', (error) => {
      logger.error({ err: error }, 'something threw outside every handler')
      process.exitCode = 1
      stop()
    })
  })
}

/** Does not keep the process alive: it only ends one that something else keeps. */
function startKillTimer(logger: Logger, killAfterMs: number): void {
  setTimeout(() => {
    logger.error({ afterMs: killAfterMs }, 'did not stop in time')
    process.kill(process.pid, 'SIGKILL')
  }, killAfterMs).unref()
}

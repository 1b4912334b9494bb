import { join } from 'node:path'
import { type Channel, connectChannel } from '@sciencediscovery/service-kit'
import { type Child, startChild, until } from '@sciencediscovery/testing'

/** A service that runs as a process of its own. */
export interface ServiceSpec {
  readonly name: string
  /** The file that Node runs, below the repository. */
  readonly entry: string
  readonly address: string
  readonly env: Readonly<Record<string, string>>
}

/** One process of a constellation; it can be killed and started again on the same port and data. */
export interface ServiceProcess extends AsyncDisposable {
  readonly spec: ServiceSpec
  readonly channel: Channel
  pid(): number
  isRunning(): boolean
  /** Starts it and waits until it says that it is ready. */
  start(): Promise<void>
  /** SIGKILL unless told otherwise; resolves when the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Sends a signal that does not end it, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void
  /** The last lines of its log. */
  tail(): string
}

export interface ProcessSetting {
  readonly root: string
  readonly logFolder: string
  readonly token: string
}

const readyMs = 120_000

/** Describes a process; nothing runs until it is started. */
export function serviceProcess(spec: ServiceSpec, setting: ProcessSetting): ServiceProcess {
  const channel = connectChannel(spec.address, { token: setting.token, connectTimeoutMs: 1_000 })
  let child: Child | undefined
  let running = false
  const tail = (): string => child?.tail() ?? '(never started)'
  const kill: ServiceProcess['kill'] = async (signal = 'SIGKILL') => {
    child?.kill(signal)
    await child?.exited
  }
  return {
    spec,
    channel,
    tail,
    kill,
    signal: (signal) => child?.kill(signal),
    pid: () => child?.pid ?? 0,
    isRunning: () => running,
    async start() {
      const started = startChild(
        process.execPath,
        [
          ...['--enable-source-maps', '--import', join(setting.root, telemetryOf(spec.entry))],
          join(setting.root, spec.entry),
        ],
        { logPath: join(setting.logFolder, `${spec.name}.log`), env: spec.env, cwd: setting.root },
      )
      child = started
      running = true
      void started.exited.then(() => {
        if (child === started) running = false
      })
      await until(
        `${spec.name} is ready`,
        async () => {
          if (!running) throw new Error(`${spec.name} ended before it was ready:\n${tail()}`)
          return isReady(channel)
        },
        readyMs,
      ).catch((error: unknown) => {
        throw new Error(`${spec.name} does not become ready:\n${tail()}`, { cause: error })
      })
    },
    async [Symbol.asyncDispose]() {
      channel.close()
      await kill()
    },
  }
}

/** Loaded before main, as production does. */
function telemetryOf(entry: string): string {
  return entry.replace(/main\.js$/, 'telemetry.js')
}

// HealthCheckRequest{service: "readiness"} and HealthCheckResponse{status: SERVING}, as bytes.
const question = Buffer.concat([Buffer.from([0x0a, 9]), Buffer.from('readiness')])
const serving = Buffer.from([0x08, 0x01])

async function isReady(channel: Channel): Promise<boolean> {
  try {
    const deadlineAt = Date.now() + 1_000
    return (await channel.unary('/grpc.health.v1.Health/Check', question, { deadlineAt })).equals(
      serving,
    )
  } catch {
    return false
  }
}

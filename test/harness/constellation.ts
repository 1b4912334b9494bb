import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type JetStreamStore, connectJetStream } from '@sciencediscovery/event-store'
import { createLifecycle } from '@sciencediscovery/service-kit'
import {
  type NatsServers,
  type PostgresServer,
  freePorts,
  startNats,
  startPostgres,
} from '@sciencediscovery/testing'
import { type Outcome, scid } from './local-stack.js'
import { natsUsersConf, natsVariables, observer, streamMaker } from './nats-users.js'
import { type ServiceProcess, serviceProcess } from './service-process.js'
import { type Setting, specsOf } from './service-specs.js'

/** The whole platform as production runs it: a process per replica, NATS, PostgreSQL, shared blobs. */
export interface Constellation extends AsyncDisposable {
  readonly server: { readonly address: string; readonly token: string }
  readonly nats: NatsServers
  readonly postgres: PostgresServer
  /** For a test to look at streams itself. */
  readonly ports: JetStreamStore
  readonly processes: readonly ServiceProcess[]
  process(name: string): ServiceProcess
  /** SIGKILL by pid; resolves when it is gone. */
  kill(name: string): Promise<void>
  /** Starts it again on the same port and data; resolves when it is ready. */
  start(name: string): Promise<void>
  /** Runs one command line against the console. */
  scid(...args: readonly string[]): Promise<Outcome>
  /** A folder for the files of the test. */
  readonly folder: string
  /** The last lines of every log, for a test that failed. */
  logs(): string
}

export interface ConstellationSetting {
  readonly orchestrators?: number
  readonly runners?: number
  /** Runners of a second pool, `gpu`. */
  readonly gpuRunners?: number
  readonly gateways?: number
  readonly artifactStores?: number
  /** Every service comes to the bus as its own user, with the permissions of the deployment. */
  readonly natsUsers?: boolean
  /** Further variables of every process. */
  readonly env?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const token = 'token-of-the-constellation'
const accessToken = 'token-of-its-owner'

const usual = {
  ...{ orchestrators: 2, runners: 2, gpuRunners: 0, gateways: 1, artifactStores: 1 },
  ...{ env: {}, natsUsers: false },
}

/** Starts servers and services; what `make build` made is what runs. */
export async function startConstellation(given: ConstellationSetting = {}): Promise<Constellation> {
  const { env, natsUsers, ...replicas } = { ...usual, ...given }
  const lifecycle = createLifecycle()
  try {
    const folder = await mkdtemp(join(tmpdir(), 'scid-constellation-'))
    lifecycle.defer(() => rm(folder, { recursive: true, force: true }))
    // The uids of sandboxes must get to the workspaces below it.
    await chmod(folder, 0o711)
    const logFolder = join(folder, 'logs')
    await mkdir(logFolder)
    const [nats, postgres] = await Promise.all([
      startNats(natsUsers ? { further: natsUsersConf() } : {}),
      startPostgres(),
    ])
    lifecycle.use(nats)
    lifecycle.use(postgres)
    const count = Object.values(replicas).reduce((sum, one) => sum + one, 1)
    const freed = await freePorts(2 * count)
    const setting: Setting = {
      ...{ replicas, folder, token, accessToken, nats, postgres, env, natsUsers },
      serverPorts: freed.slice(0, count),
      metricsPorts: freed.slice(count),
    }
    const specs = specsOf(setting)
    await migrate({ ...specs[0]?.env, ...(natsUsers ? natsVariables(streamMaker) : {}) })
    const processes = specs.map((spec) =>
      lifecycle.use(serviceProcess(spec, { root, logFolder, token: tokenFor(spec.name) })),
    )
    await Promise.all(processes.map((process) => process.start()))
    const credentials = natsUsers ? ({ kind: 'user', ...observer } as const) : undefined
    const ports = lifecycle.use(await connectJetStream({ servers: nats.urls, credentials }))
    return constellationOf({ processes, nats, postgres, ports, folder }, () =>
      Promise.resolve(lifecycle[Symbol.asyncDispose]()),
    )
  } catch (error) {
    await lifecycle[Symbol.asyncDispose]()
    throw error
  }
}

/** Services know each other by one token, people come with another. */
function tokenFor(name: string): string {
  return name === 'console' ? accessToken : token
}

/** `make migrate`. */
async function migrate(env: Readonly<Record<string, string>>): Promise<void> {
  await run(process.execPath, [join(root, 'deploy/local/dist/migrate.js')], { env, cwd: root })
}

function constellationOf(
  parts: Pick<Constellation, 'processes' | 'nats' | 'postgres' | 'ports' | 'folder'>,
  dispose: () => Promise<void>,
): Constellation {
  const find = (name: string): ServiceProcess => {
    const found = parts.processes.find(({ spec }) => spec.name === name)
    if (!found) throw new Error(`no process ${name}`)
    return found
  }
  const server = { address: find('console').spec.address, token: accessToken }
  return {
    ...parts,
    server,
    process: find,
    kill: (name) => find(name).kill(),
    start: (name) => find(name).start(),
    scid: (...args) => scid(server, args),
    logs: () => parts.processes.map((one) => `— ${one.spec.name}\n${one.tail()}`).join('\n'),
    [Symbol.asyncDispose]: dispose,
  }
}

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Backend, missingBackend } from './backend.js'
import { type Child, startChild } from './child.js'
import { firstExisting, repositoryRoot, searchPath } from './config.js'
import { freePorts } from './free-port.js'
import { until } from './until.js'

/** One nats-server of a test. */
export interface NatsNode {
  readonly name: string
  readonly url: string
  readonly monitoringUrl: string
  readonly pid: () => number
  /** Sends the signal; resolves when the process is gone, or with SIGSTOP, when it stands still. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** Starts it again on the same ports and files. */
  start(): Promise<void>
}

/** Real nats-servers on loopback, JetStream on, synced before acknowledged. */
export interface NatsServers extends AsyncDisposable {
  readonly urls: readonly string[]
  readonly monitoringUrls: readonly string[]
  readonly nodes: readonly NatsNode[]
}

export interface NatsSetting {
  /** 1, or 3 for a cluster. Default 1. */
  readonly nodes?: 1 | 3
  /** Default `always`; anything else is for tests of the warning. */
  readonly syncInterval?: string
  /** Further configuration, such as users, with the variables that it names. */
  readonly further?: {
    readonly conf: string
    readonly env: Readonly<Record<string, string>>
  }
}

/** A nats-server that is new enough: on PATH, or where `deploy/scripts/fetch-nats-server.sh` puts it. */
export function natsBackend(): Backend {
  const candidates = [
    ...searchPath.map((folder) => join(folder, 'nats-server')),
    join(repositoryRoot, '.tools/nats-server'),
  ]
  for (const candidate of candidates) {
    const path = firstExisting(candidate)
    if (path !== undefined && isNewEnough(path)) return { path }
  }
  return missingBackend('no nats-server ≥ 2.10 (deploy/scripts/fetch-nats-server.sh gets one)')
}

/** Starts one server, or a cluster of three. */
export async function startNats(setting: NatsSetting = {}): Promise<NatsServers> {
  const { path, skip } = natsBackend()
  if (path === undefined) throw new Error(skip)
  const count = setting.nodes ?? 1
  const folder = await mkdtemp(join(tmpdir(), 'scid-nats-'))
  const ports = await freePorts(count * 3)
  const portOf = (node: number, kind: number): number => ports[node * 3 + kind] ?? 0
  const routes = Array.from(
    { length: count },
    (_, node) => `nats-route://127.0.0.1:${portOf(node, 2)}`,
  )
  const nodes: NatsNode[] = []
  for (let node = 0; node < count; node += 1) {
    const spec = {
      path,
      folder,
      name: `n${node}`,
      client: portOf(node, 0),
      monitor: portOf(node, 1),
      further: setting.further,
    }
    const cluster = count > 1 ? { port: portOf(node, 2), routes } : undefined
    nodes.push(await nodeOf(spec, cluster, setting.syncInterval ?? 'always'))
  }
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.signal('SIGKILL')))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(nodes.map((node) => node.start()))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    urls: nodes.map((node) => node.url),
    monitoringUrls: nodes.map((node) => node.monitoringUrl),
    nodes,
    [Symbol.asyncDispose]: stop,
  }
}

interface NodeSpec {
  readonly path: string
  readonly folder: string
  readonly name: string
  readonly client: number
  readonly monitor: number
  readonly further: NatsSetting['further']
}

async function nodeOf(
  spec: NodeSpec,
  cluster: { readonly port: number; readonly routes: readonly string[] } | undefined,
  syncInterval: string,
): Promise<NatsNode> {
  const config = join(spec.folder, `${spec.name}.conf`)
  const store = JSON.stringify(join(spec.folder, spec.name))
  const lines = [
    `server_name: ${spec.name}`,
    `listen: 127.0.0.1:${spec.client}`,
    `http: 127.0.0.1:${spec.monitor}`,
    `jetstream { store_dir: ${store}, sync_interval: ${syncInterval}, max_file_store: 1TB }`,
    ...(cluster
      ? [
          `cluster { name: test, listen: 127.0.0.1:${cluster.port}, routes: [${cluster.routes.join(', ')}] }`,
        ]
      : []),
    spec.further?.conf ?? '',
  ]
  await writeFile(config, lines.join('\n'))
  const monitoringUrl = `http://127.0.0.1:${spec.monitor}`
  let child: Child | undefined
  return {
    name: spec.name,
    url: `nats://127.0.0.1:${spec.client}`,
    monitoringUrl,
    pid: () => child?.pid ?? 0,
    signal: async (signal) => {
      child?.kill(signal)
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await child?.exited
      if (signal === 'SIGSTOP')
        await until(`${spec.name} stands still`, () => child?.state() === 'T')
    },
    start: async () => {
      const started = startChild(spec.path, ['-c', config], {
        logPath: join(spec.folder, `${spec.name}.log`),
        ...(spec.further ? { env: { ...spec.further.env } } : {}),
      })
      child = started
      await until(`${spec.name} is healthy`, () => isHealthy(monitoringUrl), 30_000).catch(
        (error: unknown) => {
          throw new Error(`nats-server did not start:\n${started.tail()}`, { cause: error })
        },
      )
    },
  }
}

function isNewEnough(path: string): boolean {
  const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(version) ?? []
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10)
}

function isHealthy(monitoringUrl: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${monitoringUrl}/healthz`, { timeout: 1_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => {
      resolve(false)
    })
    request.on('timeout', () => request.destroy())
  })
}

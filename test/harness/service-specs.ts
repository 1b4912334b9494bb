import { join } from 'node:path'
import { type NatsServers, type PostgresServer, searchPath } from '@sciencediscovery/testing'
import { natsVariables } from './nats-users.js'
import { type ServiceSpec } from './service-process.js'

/** What the processes of a constellation are told. */
export interface Setting {
  readonly replicas: {
    readonly orchestrators: number
    readonly runners: number
    /** Runners of a second pool, `gpu`. */
    readonly gpuRunners: number
    readonly gateways: number
    readonly artifactStores: number
  }
  readonly folder: string
  /** Among the services. */
  readonly token: string
  /** Of the owner, at the console. */
  readonly accessToken: string
  readonly nats: NatsServers
  readonly postgres: PostgresServer
  readonly env: Readonly<Record<string, string>>
  readonly serverPorts: readonly number[]
  /** Where the metrics of each can be read. */
  readonly metricsPorts: readonly number[]
  /** Whether each service comes to the bus as its own user. */
  readonly natsUsers: boolean
}

const pool = 'local'
const uidsPerRunner = 1_000

/** Every process: names as tests use them, ports fixed so that a restarted one is found again. */
export function specsOf(setting: Setting): readonly ServiceSpec[] {
  const { replicas, serverPorts } = setting
  const named = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${name}-${n}`)
  const alsoNamed = (name: string, count: number): string[] => [
    name,
    ...named(name, count).slice(1),
  ]
  const names = [
    ...named('orchestrator', replicas.orchestrators),
    ...named('runner', replicas.runners),
    ...named('gpu', replicas.gpuRunners),
    ...alsoNamed('gateway', replicas.gateways),
    ...alsoNamed('artifact-store', replicas.artifactStores),
    'console',
  ]
  const places = names.map((name, n) => ({ name, port: serverPorts[n] ?? 0 }))
  const addressesOf = (prefix: string): string =>
    places
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(',')
  const shared = {
    ...baseOf(setting),
    ORCHESTRATOR_ADDRESS: addressesOf('orchestrator'),
    GATEWAY_ADDRESS: addressesOf('gateway'),
    ARTIFACT_STORE_ADDRESS: addressesOf('artifact-store'),
    RUNNER_ADDRESSES: poolsOf(addressesOf('runner'), addressesOf('gpu')),
  }
  return places.map(({ name, port }, n) => ({
    name,
    entry: `services/${folderOf(name)}/dist/main.js`,
    address: `127.0.0.1:${port}`,
    env: {
      ...shared,
      ...(name.startsWith('gpu') ? { RUNNER_POOL: 'gpu' } : {}),
      ...(setting.natsUsers ? natsVariables(folderOf(name)) : {}),
      SCIENCE_DISCOVERY_PORT: String(port),
      METRICS_PORT: String(setting.metricsPorts[n]),
      SCIENCE_DISCOVERY_DATA_DIR: join(setting.folder, name),
      // Two runners of one machine must not share the uids of their sandboxes.
      SCIENCE_AGENT_SANDBOX_FIRST_UID: String(200_000 + n * uidsPerRunner),
    },
  }))
}

function poolsOf(usual: string, gpu: string): string {
  return `${pool}=${usual}${gpu === '' ? '' : `,gpu=${gpu}`}`
}

function baseOf({
  folder,
  token,
  accessToken,
  nats,
  postgres,
  env,
}: Setting): Record<string, string> {
  return {
    PATH: searchPath.join(':'),
    HOME: folder,
    NATS_URL: nats.urls.join(','),
    NATS_MONITORING_URLS: nats.monitoringUrls.join(','),
    PG_URL: postgres.url,
    SCIENCE_DISCOVERY_TOKEN: token,
    SCIENCE_DISCOVERY_ACCESS_TOKEN: accessToken,
    SCIENCE_DISCOVERY_BLOB_DIR: join(folder, 'blobs'),
    RUNNER_POOL: pool,
    ...env,
  }
}

function folderOf(name: string): string {
  if (name.startsWith('orchestrator')) return 'agent-orchestrator'
  if (name.startsWith('runner') || name.startsWith('gpu')) return 'execution-runner'
  if (name.startsWith('gateway')) return 'tool-gateway'
  return name.startsWith('artifact-store') ? 'artifact-store' : name
}

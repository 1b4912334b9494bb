import { join } from 'node:path'
import { type NatsServers, type PostgresServer, searchPath } from '@sciencediscovery/testing'
import { type ServiceSpec } from './service-process.js'

/** What the processes of a constellation are told. */
export interface Setting {
  readonly orchestrators: number
  readonly runners: number
  readonly folder: string
  readonly token: string
  readonly nats: NatsServers
  readonly postgres: PostgresServer
  readonly env: Readonly<Record<string, string>>
  readonly serverPorts: readonly number[]
}

const pool = 'local'
const uidsPerRunner = 1_000

/** Every process: names as tests use them, ports fixed so that a restarted one is found again. */
export function specsOf(setting: Setting): readonly ServiceSpec[] {
  const { orchestrators, runners, serverPorts } = setting
  const named = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${name}-${n}`)
  const names = [
    ...named('orchestrator', orchestrators),
    ...named('runner', runners),
    ...['gateway', 'artifact-store', 'console'],
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
    RUNNER_ADDRESSES: `${pool}=${addressesOf('runner')}`,
  }
  return places.map(({ name, port }, n) => ({
    name,
    entry: `services/${folderOf(name)}/dist/main.js`,
    address: `127.0.0.1:${port}`,
    env: {
      ...shared,
      SCIENCE_DISCOVERY_PORT: String(port),
      SCIENCE_DISCOVERY_DATA_DIR: join(setting.folder, name),
      // Two runners of one machine must not share the uids of their sandboxes.
      SCIENCE_AGENT_SANDBOX_FIRST_UID: String(200_000 + n * uidsPerRunner),
    },
  }))
}

function baseOf({ folder, token, nats, postgres, env }: Setting): Record<string, string> {
  return {
    PATH: searchPath.join(':'),
    HOME: folder,
    NATS_URL: nats.urls.join(','),
    NATS_MONITORING_URLS: nats.monitoringUrls.join(','),
    PG_URL: postgres.url,
    SCIENCE_DISCOVERY_TOKEN: token,
    SCIENCE_DISCOVERY_BLOB_DIR: join(folder, 'blobs'),
    RUNNER_POOL: pool,
    ...env,
  }
}

function folderOf(name: string): string {
  if (name.startsWith('orchestrator')) return 'agent-orchestrator'
  if (name.startsWith('runner')) return 'execution-runner'
  return name === 'gateway' ? 'tool-gateway' : name
}

import { join } from 'node:path'
import {
  createService as createRunner,
  loadSandboxConfig,
  type RunnerOverrides,
} from '@sciencediscovery/execution-runner'
import { type Lifecycle } from '@sciencediscovery/service-kit'

/** What the runners of a stack have in common. */
interface RunnersSetting {
  readonly port: number
  readonly token: string
  readonly dataDirectory: string
  readonly orchestratorAddress: string
  readonly pools: readonly string[]
  /** Address by pool. */
  readonly runnerAddresses: Readonly<Record<string, string>>
}

/** A runner for each pool: with a socket, a directory and host uids of its own, as if it were another machine. */
export async function startRunners(
  { pools, runnerAddresses, dataDirectory, ...config }: RunnersSetting,
  overridesOf: () => RunnerOverrides,
  lifecycle: Lifecycle,
): Promise<void> {
  const sandbox = loadSandboxConfig()
  for (const [nth, pool] of pools.entries()) {
    const runner = await createRunner(
      {
        ...config,
        host: runnerAddresses[pool] ?? '',
        pool,
        dataDirectory: pool === 'local' ? dataDirectory : join(dataDirectory, 'pools', pool),
        // The last uid of each belongs to its probe.
        sandbox: { ...sandbox, firstUid: sandbox.firstUid + nth * (sandbox.workspaces + 1) },
      },
      overridesOf(),
    )
    lifecycle.use(runner)
  }
}

import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { refused } from '@sciencediscovery/kernel'
import { rpcClient, type Channel } from '@sciencediscovery/service-kit'
import type { Clients, Stack } from '../context.js'
import { readEndpoint } from './endpoint-file.js'
import { findLocal, type LocalFinder, type LocalStack } from './find-local.js'
import { openChannel, type StackAddress } from './open-channel.js'

/** Where a command looks for its stack: at a server, or in a data directory. */
export interface StackOptions extends LocalFinder {
  readonly server: StackAddress | undefined
}

interface Line {
  readonly channel: Channel
  readonly clients: Clients
}

/** The stack of one command: opened when first asked for, closed with the command. */
export function createStack(options: StackOptions): Stack & AsyncDisposable {
  let own: LocalStack | undefined
  let line: Promise<Line> | undefined

  const open = async (signal: AbortSignal): Promise<Channel> => {
    const known = options.server ?? own
    if (known) return openChannel({ address: known.address, token: known.token }, signal)
    const found = await findLocal(options, signal)
    own = found.own
    return found.channel
  }
  const close = async (): Promise<void> => {
    const closing = line
    line = undefined
    await closing?.then(
      ({ channel }) => {
        channel.close()
      },
      () => undefined,
    )
  }
  return {
    async clients(signal) {
      line ??= open(signal).then(toLine)
      try {
        return (await line).clients
      } catch (error) {
        line = undefined
        throw error
      }
    },
    async renew() {
      // A server is found again by the channel itself; another process may have taken over a directory.
      if (options.server === undefined && own === undefined) await close()
    },
    async start() {
      const { dataDir, logger } = options
      if (await options.isHeld(dataDir)) throw await heldElsewhere(dataDir)
      own = await options.startLocal({ dataDir, logger })
      return { address: own.address }
    },
    async [Symbol.asyncDispose]() {
      await close()
      await own?.[Symbol.asyncDispose]()
    },
  }
}

function toLine(channel: Channel): Line {
  const clients = {
    sessions: rpcClient(SessionServiceService, channel),
    runs: rpcClient(RunServiceService, channel),
    artifacts: rpcClient(ArtifactServiceService, channel),
    provenance: rpcClient(ProvenanceServiceService, channel),
    operations: rpcClient(OperationsServiceService, channel),
    workspaces: rpcClient(WorkspaceServiceService, channel),
    executions: rpcClient(ExecutionServiceService, channel),
  }
  return { channel, clients }
}

async function heldElsewhere(dataDir: string): Promise<Error> {
  const endpoint = await readEndpoint(dataDir)
  const where = endpoint ? ` (process ${endpoint.pid}, listening on ${endpoint.address})` : ''
  return refused(`a stack runs in ${dataDir} already${where}`, {
    field: '--data-dir',
    remedy: 'use it as it is, or give another --data-dir',
  })
}

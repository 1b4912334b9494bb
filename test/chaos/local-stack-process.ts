import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Channel, connectChannel } from '@sciencediscovery/service-kit'
import { type Child, searchPath, startChild, until } from '@sciencediscovery/testing'
import { z } from 'zod'

/** `scid up` as a process of its own. */
export interface LocalProcess {
  readonly channel: Channel
  readonly pid: number
  kill(signal: NodeJS.Signals): Promise<void>
}

const EndpointSchema = z.object({ pid: z.number(), address: z.string(), token: z.string() })
const launcher = fileURLToPath(new URL('../../deploy/local/bin/scid.js', import.meta.url))

/** Starts the stack of a data directory and waits until it says where it is. */
export async function startLocalProcess(dataDir: string): Promise<LocalProcess> {
  const logPath = `${dataDir}.log`
  const child = startChild(process.execPath, [launcher, 'up', '--data-dir', dataDir], {
    logPath,
    // With the home of the user, the empty database is copied from where it is kept.
    env: { PATH: searchPath.join(':'), HOME: homedir() },
  })
  const endpoint = await endpointOf(dataDir, child)
  const channel = connectChannel(endpoint.address, { token: endpoint.token })
  return {
    channel,
    pid: child.pid,
    kill: async (signal) => {
      channel.close()
      child.kill(signal)
      await child.exited
    },
  }
}

async function endpointOf(dataDir: string, child: Child): Promise<z.infer<typeof EndpointSchema>> {
  const found: z.infer<typeof EndpointSchema>[] = []
  await until(
    'the local stack says where it is',
    async () => {
      const text = await readFile(join(dataDir, 'endpoint.json'), 'utf8').catch(() => '{}')
      const parsed = EndpointSchema.safeParse(JSON.parse(text === '' ? '{}' : text))
      // A killed stack leaves its file behind.
      if (parsed.success && parsed.data.pid === child.pid) found.push(parsed.data)
      return found.length > 0
    },
    60_000,
  ).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`the local stack did not start:\n${child.tail()}`, { cause: error })
  })
  const [endpoint] = found
  if (!endpoint) throw new Error('no endpoint')
  return endpoint
}

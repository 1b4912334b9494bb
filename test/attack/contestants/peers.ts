import { existsSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { type Contestant } from './contestant.js'
import { wrappedCommand } from './wrapped-command.js'

/** `bwrap --ro-bind / /`: what many write first. */
export function rawBubblewrap(): Contestant {
  return wrappedCommand('bwrap --ro-bind / /', (script, workspace, cwd) =>
    Promise.resolve([
      ...['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
      ...['--bind', workspace, workspace, '--chdir', cwd, '/bin/bash', '-c', script],
    ]),
  )
}

interface SandboxRuntime {
  readonly initialize: (config: unknown) => Promise<void>
  readonly wrapWithSandbox: (command: string) => Promise<string>
  readonly reset: () => Promise<void>
}

const ModuleSchema = z.object({ SandboxManager: z.custom<SandboxRuntime>() })
const peers = join(import.meta.dirname, '../../../bench-peers')
const entry = join(
  peers,
  'sandbox-runtime/node_modules/@anthropic-ai/sandbox-runtime/dist/index.js',
)
/** It calls socat, which the benchmarks keep beside it. */
const path = `${join(peers, 'socat/usr/bin')}:${process.env.PATH ?? ''}`
const libraries = join(peers, 'socat/usr/lib/x86_64-linux-gnu')

/** Its default profile with the workspace writable; undefined when `make bench` has not installed the peers. */
export async function sandboxRuntime(): Promise<Contestant | undefined> {
  if (!existsSync(entry)) return undefined
  const loaded: unknown = await import(pathToFileURL(entry).href)
  const { SandboxManager } = ModuleSchema.parse(loaded)
  // It binds directories below the home, which whoever runs the commands must reach.
  const home = await mkdtemp(join(tmpdir(), 'scid-home-'))
  await chmod(home, 0o777)
  Object.assign(process.env, { PATH: path, LD_LIBRARY_PATH: libraries, HOME: home })
  const contestant = wrappedCommand('sandbox-runtime', async (script, workspace, cwd) => {
    await SandboxManager.reset()
    await SandboxManager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [workspace], denyWrite: [] },
    })
    return ['/bin/bash', '-c', await SandboxManager.wrapWithSandbox(`cd ${cwd}; ${script}`)]
  })
  return {
    ...contestant,
    [Symbol.asyncDispose]: async () => {
      await SandboxManager.reset()
      await contestant[Symbol.asyncDispose]()
    },
  }
}

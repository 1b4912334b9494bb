import { existsSync } from 'node:fs'
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
const entry = join(
  import.meta.dirname,
  '../../../bench-peers/node_modules/@anthropic-ai/sandbox-runtime/dist/index.js',
)

/** Its default profile with the workspace writable; undefined when `make bench` has not installed the peers. */
export async function sandboxRuntime(): Promise<Contestant | undefined> {
  if (!existsSync(entry)) return undefined
  const loaded: unknown = await import(pathToFileURL(entry).href)
  const { SandboxManager } = ModuleSchema.parse(loaded)
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

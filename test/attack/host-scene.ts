import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLifecycle } from '@sciencediscovery/service-kit'
import { canary, type Target } from './attack-case.js'

/** The host with something to steal, something to break, and an eye on both. */
export interface HostScene extends AsyncDisposable {
  readonly target: Target
  /** Connections that came since the last look. */
  takeConnections(): number
  /** What appeared in the open directory since the last look. */
  takeLitter(): Promise<readonly string[]>
}

export async function setScene(): Promise<HostScene> {
  const lifecycle = createLifecycle()
  const directory = await mkdtemp(join(tmpdir(), 'scid-host-'))
  lifecycle.defer(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o755)
  const openDirectory = join(directory, 'open')
  await mkdir(openDirectory)
  await chmod(openDirectory, 0o777)
  const secretFile = join(directory, 'secret.txt')
  await writeFile(secretFile, `${canary}\n`)
  await chmod(secretFile, 0o644)
  const seen = { connections: 0 }
  const listen = (where: Parameters<Server['listen']>[0]): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        seen.connections += 1
        socket.destroy()
      })
      server.once('error', reject)
      server.listen(where, () => {
        resolve(server)
      })
      lifecycle.defer(() => server.close())
    })
  const socketFile = join(directory, 'host.sock')
  await listen({ path: socketFile })
  await chmod(socketFile, 0o777)
  const abstractSocket = `scid-host-${process.pid}`
  await listen({ path: `\0${abstractSocket}` }).catch(() => undefined)
  const address = (await listen({ host: '127.0.0.1', port: 0 })).address()
  const port = typeof address === 'object' && address ? address.port : 0
  await listen({ host: '::1', port }).catch(() => undefined)
  const victim = spawn('/bin/bash', ['-c', 'exec -a "$0" sleep 600', `${canary}-victim-${port}`], {
    stdio: 'ignore',
    ...(process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 }),
  })
  lifecycle.defer(() => victim.kill('SIGKILL'))
  return {
    target: {
      openDirectory,
      secretFile,
      socketFile,
      abstractSocket,
      port,
      victimPid: victim.pid ?? 0,
    },
    takeConnections: () => {
      const { connections } = seen
      seen.connections = 0
      return connections
    },
    takeLitter: async () => {
      const litter = await readdir(openDirectory)
      for (const name of litter) await rm(join(openDirectory, name), { recursive: true })
      return litter
    },
    [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
  }
}

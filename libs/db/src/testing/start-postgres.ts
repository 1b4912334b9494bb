import { execFile, spawn } from 'node:child_process'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** A PostgreSQL server of a test's own. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Stops the server as a crash does, keeps its files and starts it again. */
  restart(): Promise<void>
}

/** Starts a server on a free port with its files in a temporary directory. */
export async function startPostgres(
  initOptions: readonly string[] = ['--locale=C.UTF-8'],
): Promise<PostgresServer> {
  const bin = await binaryDirectory()
  const user = process.getuid?.() === 0 ? await postgresUser() : undefined
  const directory = await mkdtemp(join(tmpdir(), 'scid-postgres-'))
  if (user !== undefined) await chown(directory, user.uid, user.gid)
  const files = join(directory, 'files')
  await run(
    join(bin, 'initdb'),
    ['-D', files, '-U', 'scid', '-A', 'trust', '-E', 'UTF8', '-N', ...initOptions],
    { ...user, cwd: directory },
  )
  const port = await freePort()
  const url = `postgres://scid@127.0.0.1:${port}/postgres`
  const start = async () => {
    const args = [
      '-D',
      files,
      '-p',
      String(port),
      '-k',
      directory,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'fsync=off',
    ]
    const child = spawn(join(bin, 'postgres'), args, { ...user, cwd: directory, stdio: 'ignore' })
    await untilReady(url)
    return child
  }
  let server = await start()
  const stop = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await exited
  }
  return {
    url,
    pid: server.pid ?? 0,
    restart: async () => {
      await stop('SIGQUIT')
      server = await start()
    },
    [Symbol.asyncDispose]: async () => {
      await stop('SIGINT')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function binaryDirectory(): Promise<string> {
  const root = '/usr/lib/postgresql'
  const versions = (await readdir(root)).map(Number).sort((a, b) => b - a)
  return join(root, String(versions[0]), 'bin')
}

async function postgresUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = await Promise.all([
    run('id', ['-u', 'postgres']),
    run('id', ['-g', 'postgres']),
  ])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function untilReady(url: string): Promise<void> {
  const until = performance.now() + 20_000
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    const failure = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    )
    await client.end().catch(() => undefined)
    if (failure === undefined) return
    if (performance.now() > until) throw new Error('postgres did not start', { cause: failure })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

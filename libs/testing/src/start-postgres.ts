import { execFile, execFileSync } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Backend, missingBackend } from './backend.js'
import { type Child, startChild } from './child.js'
import { firstExisting, searchPath } from './config.js'
import { freePorts } from './free-port.js'
import { until } from './until.js'

const run = promisify(execFile)

/** A PostgreSQL server of a test's own. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string
  readonly pid: () => number
  /** Stops the server at once, as a crash does, and keeps its files. */
  kill(): Promise<void>
  /** Starts it again on the same port and files. */
  start(): Promise<void>
}

export interface PostgresSetting {
  /** For initdb. Default `--locale=C.UTF-8`. */
  readonly initOptions?: readonly string[]
  /** Whether it syncs; a test that is about speed or power loss wants it. Default false. */
  readonly fsync?: boolean
}

const programNames = ['initdb', 'postgres', 'pg_isready']

/** Folder of the newest PostgreSQL's programs: on PATH, or where Debian puts them. */
export function postgresBackend(): Backend {
  const debian = '/usr/lib/postgresql'
  const versions = firstExisting(debian) === undefined ? [] : readdirSync(debian)
  const newestFirst = versions.sort((left, right) => Number(right) - Number(left))
  const folders = [...searchPath, ...newestFirst.map((version) => join(debian, version, 'bin'))]
  const isWhole = (folder: string): boolean =>
    programNames.every((name) => firstExisting(join(folder, name)) !== undefined)
  const path = folders.find(isWhole)
  return path === undefined
    ? missingBackend('no PostgreSQL (apt-get install postgresql)')
    : { path }
}

/** Starts a server on a free loopback port, its files in a temporary folder. */
export async function startPostgres(setting: PostgresSetting = {}): Promise<PostgresServer> {
  const { path: programs, skip } = postgresBackend()
  if (programs === undefined) throw new Error(skip)
  const identity = serverIdentity()
  const folder = await mkdtemp(join(tmpdir(), 'scid-postgres-'))
  if (identity) await chown(folder, identity.uid, identity.gid)
  const files = join(folder, 'files')
  const init = [
    '-D',
    files,
    '-U',
    'scid',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '-N',
    ...(setting.initOptions ?? ['--locale=C.UTF-8']),
  ]
  await run(join(programs, 'initdb'), init, { ...identity, cwd: folder })
  const [port = 0] = await freePorts(1)
  const fsync = `fsync=${setting.fsync === true ? 'on' : 'off'}`
  const args = [
    '-D',
    files,
    '-p',
    String(port),
    '-k',
    folder,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    fsync,
  ]
  let child: Child | undefined
  const server: PostgresServer = {
    url: `postgres://scid@127.0.0.1:${port}/postgres`,
    pid: () => child?.pid ?? 0,
    kill: async () => {
      child?.kill('SIGQUIT')
      await child?.exited
    },
    start: async () => {
      const started = startChild(join(programs, 'postgres'), args, {
        logPath: join(folder, 'log'),
        cwd: folder,
        ...identity,
      })
      child = started
      const ready = (): Promise<boolean> => isReady(programs, port)
      await until('PostgreSQL answers', ready, 20_000).catch((error: unknown) => {
        throw new Error(`PostgreSQL did not start:\n${started.tail()}`, { cause: error })
      })
    },
    [Symbol.asyncDispose]: async () => {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
  try {
    await server.start()
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
  return server
}

/** PostgreSQL refuses to run as root. */
function serverIdentity(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function isReady(programs: string, port: number): Promise<boolean> {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-t', '1']
  return run(join(programs, 'pg_isready'), args).then(
    () => true,
    () => false,
  )
}

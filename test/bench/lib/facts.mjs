import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { natsBackend, postgresBackend } from '@sciencediscovery/testing'
import { join } from 'node:path'
import { repositoryDirectory } from './places.mjs'

/** What a figure cannot be read without. */
export function collectFacts() {
  const postgres = postgresBackend().path
  return {
    commit: outputOf('git', ['-C', repositoryDirectory, 'rev-parse', '--short', 'HEAD']),
    node: process.version,
    natsServer: outputOf(natsBackend().path, ['--version']),
    postgres: postgres ? outputOf(join(postgres, 'postgres'), ['--version']) : 'none',
    bubblewrap: outputOf('bwrap', ['--version']),
    fsync:
      'JetStream sync_interval always; PostgreSQL fsync and synchronous_commit on; embedded fdatasync',
    fdatasync: postgres ? fdatasyncOf(postgres) : 'not measured',
    machine: `${cpus().length} × ${cpus()[0]?.model ?? '?'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`,
  }
}

function fdatasyncOf(folder) {
  const told = outputOf(join(folder, 'pg_test_fsync'), ['-s', '1', '-f', '/tmp/scid-bench-fsync'])
  return (
    /fdatasync\s+(\S+ ops\/sec\s+\d+ usecs\/op)/.exec(told)?.[1]?.replaceAll(/\s+/g, ' ') ?? '?'
  )
}

function outputOf(program, args) {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'none'
  }
}

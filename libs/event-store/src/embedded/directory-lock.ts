import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { PlatformError } from '@sciencediscovery/kernel'

const takenExitCode = 75

/**
 * Takes the directory for this process alone. The kernel holds the lock on our open file: it is gone
 * the moment the process is, however that ends, and no stale file can keep the next start out.
 */
export function lockDirectory(directory: string): Disposable {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'lock')
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    takeLock(fd, path, directory)
    ftruncateSync(fd, 0)
    writeSync(fd, `${process.pid}\n`, 0)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return {
    [Symbol.dispose]: () => {
      closeSync(fd)
    },
  }
}

/** Node has no flock(2); the lock that flock(1) takes on the inherited file stays with our copy of it. */
function takeLock(fd: number, path: string, directory: string): void {
  const result = spawnSync(
    'flock',
    ['--exclusive', '--nonblock', '--conflict-exit-code', String(takenExitCode), '3'],
    {
      stdio: ['ignore', 'ignore', 'pipe', fd],
      timeout: 10_000,
    },
  )
  if (result.status === 0) return
  if (result.status === takenExitCode) throw taken(path, directory)
  const reason = result.error?.message ?? String(result.stderr).trim()
  throw new PlatformError('unavailable', `cannot lock ${directory}: ${reason}`, {
    cause: result.error,
    remedy: 'install util-linux (it has flock) and use a local file system',
  })
}

function taken(path: string, directory: string): PlatformError {
  const holder = readFileSync(path, 'utf8').trim()
  const who = holder === '' ? 'another process' : `process ${holder}`
  return new PlatformError('unavailable', `data directory ${directory} is in use by ${who}`, {
    reason: 'directory_locked',
    remedy: `use the running one, stop it (kill ${holder === '' ? '<pid>' : holder}), or name another data directory`,
  })
}

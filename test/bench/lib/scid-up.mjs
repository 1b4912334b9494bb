import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { repositoryDirectory } from './places.mjs'

const program = join(repositoryDirectory, 'deploy/local/bin/scid.js')

/** `scid up` as a user types it, from the start of the process to the line that says it is ready. */
export async function scidUp({ directory, cacheDirectory }) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program, 'up', '--data-dir', directory], {
    env: { ...process.env, XDG_CACHE_HOME: cacheDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const told = []
  child.stderr.on('data', (piece) => told.push(piece))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (piece) => {
      if (piece.toString().includes('listening on')) resolve(performance.now() - startedAt)
    })
  })
  const failed = gone.then(() => {
    throw new Error(`scid up ended: ${Buffer.concat(told).toString().slice(-1000)}`)
  })
  failed.catch(() => undefined)
  const readyMs = await Promise.race([ready, failed])
  const endpoint = JSON.parse(await readFile(join(directory, 'endpoint.json'), 'utf8'))
  const stop = async () => {
    child.kill('SIGTERM')
    await gone
  }
  return { readyMs, pid: child.pid, endpoint, stop }
}

import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PlatformError } from '@sciencediscovery/kernel'

const run = promisify(execFile)
const initTimeoutMs = 120_000

/** Makes the data directory unless it is there. It appears complete or not at all. */
export async function prepareDirectory(
  directory: string,
  templateDirectory?: string,
): Promise<void> {
  await removeLeftovers(directory)
  if (await isFilled(directory)) return
  if (templateDirectory === undefined) {
    await buildAside(directory, initialise)
    return
  }
  await prepareDirectory(templateDirectory)
  await buildAside(directory, (aside) => cp(templateDirectory, aside, { recursive: true }))
}

/** Moves a data directory that does not open out of the way; returns where it is now. */
export async function setAside(directory: string): Promise<string> {
  const taken = new Set(await readdir(dirname(directory)))
  const name = basename(directory)
  let number = 1
  while (taken.has(`${name}.broken-${number}`)) number++
  const movedTo = join(dirname(directory), `${name}.broken-${number}`)
  await rename(directory, movedTo)
  return movedTo
}

async function buildAside(
  directory: string,
  build: (aside: string) => Promise<void>,
): Promise<void> {
  const aside = `${directory}.new-${process.pid}`
  await build(aside)
  await rm(directory, { recursive: true, force: true })
  await rename(aside, directory).catch(async (error: unknown) => {
    // Another process was faster with the same template; one of the two is enough.
    if (!(await isFilled(directory))) throw error
    await rm(aside, { recursive: true, force: true })
  })
}

async function initialise(directory: string): Promise<void> {
  const script = fileURLToPath(new URL('./pglite-init-worker.js', import.meta.url))
  try {
    await run(process.execPath, [script, directory], { env: {}, timeout: initTimeoutMs })
  } catch (cause) {
    throw new PlatformError('unavailable', `cannot make the database directory ${directory}`, {
      cause,
      remedy: 'check that the directory is writable and has 100 MiB free, or set PG_URL',
    })
  }
}

async function removeLeftovers(directory: string): Promise<void> {
  const parent = dirname(directory)
  await mkdir(parent, { recursive: true })
  const names = await readdir(parent)
  const leftovers = names.filter((name) => isLeftover(name, basename(directory)))
  await Promise.all(
    leftovers.map((name) => rm(join(parent, name), { recursive: true, force: true })),
  )
}

function isLeftover(name: string, directoryName: string): boolean {
  const prefix = `${directoryName}.new-`
  if (!name.startsWith(prefix)) return false
  const pid = Number(name.slice(prefix.length))
  return Number.isInteger(pid) && pid !== process.pid && !isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function isFilled(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length > 0
  } catch {
    return false
  }
}

import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { delay } from '@sciencediscovery/service-kit'
import { killQuietly } from './process-gone.js'
import { type SandboxLimits } from './profile.js'

/** The kernel's own account of one cell: what it may use, and what it ran into. */
export interface ControlGroup extends AsyncDisposable {
  add(pid: number): Promise<void>
  /** Ends every process in it; resolves when none is left. */
  killAll(): Promise<void>
  /** How often memory and process limits were hit so far. */
  hits(): Promise<LimitHits>
}

export interface LimitHits {
  readonly memory: number
  readonly processes: number
}

/** Makes groups where the runner may write them; undefined where it may not. */
export interface ControlGroups {
  readonly version: 1 | 2
  /** Directories that hold our groups. */
  readonly parents: readonly string[]
  create(name: string, limits: SandboxLimits): Promise<ControlGroup>
}

const mount = '/sys/fs/cgroup'

/** The writable version, v2 first. */
export async function findControlGroups(): Promise<ControlGroups | undefined> {
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '')
  for (const groups of [versionTwo(own), versionOne(own)]) {
    if (!groups || !(await works(groups))) continue
    await sweep(groups)
    return groups
  }
  return undefined
}

/** Groups are named after their launcher: one that was killed could not take its own away. */
async function sweep({ parents }: ControlGroups): Promise<void> {
  for (const parent of parents) {
    for (const name of await readdir(parent)) {
      const pid = /^sciencediscovery-.*-(\d+)$/.exec(name)?.[1]
      if (pid === undefined || existsSync(`/proc/${pid}`)) continue
      await rmdir(join(parent, name)).catch(() => undefined)
    }
  }
}

async function works(groups: ControlGroups): Promise<boolean> {
  const limits = {
    memoryBytes: 64 * 1024 * 1024,
    processes: 8,
    fileBytes: null,
    openFiles: 64,
    cpuSeconds: null,
  }
  try {
    const group = await groups.create(`sciencediscovery-check-${process.pid}`, limits)
    await group[Symbol.asyncDispose]()
    return true
  } catch {
    return false
  }
}

function versionTwo(own: string): ControlGroups | undefined {
  const path = /^0::(\/.*)$/m.exec(own)?.[1]
  if (path === undefined || !existsSync(join(mount, 'cgroup.controllers'))) return undefined
  const parent = existsSync(join(mount, path)) ? join(mount, path) : mount
  return {
    version: 2,
    parents: [parent],
    create: async (name, limits) => {
      const directory = join(parent, name)
      await mkdir(directory, { recursive: true })
      await writeFile(join(directory, 'memory.max'), String(limits.memoryBytes))
      await writeFile(join(directory, 'pids.max'), String(limits.processes + launcherProcesses))
      await writeFile(join(directory, 'memory.swap.max'), '0').catch(() => undefined)
      return group([directory], {
        memory: () => counter(join(directory, 'memory.events'), 'oom_kill'),
        processes: () => counter(join(directory, 'pids.events'), 'max'),
      })
    },
  }
}

function versionOne(own: string): ControlGroups | undefined {
  const place = (controller: string): string => {
    const path = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(/.*)$`, 'm').exec(own)?.[1]
    const nested = join(mount, controller, path ?? '/')
    return existsSync(nested) ? nested : join(mount, controller)
  }
  if (!existsSync(join(mount, 'memory')) || !existsSync(join(mount, 'pids'))) return undefined
  return {
    version: 1,
    parents: [place('memory'), place('pids')],
    create: async (name, limits) => {
      const memory = join(place('memory'), name)
      const pids = join(place('pids'), name)
      await mkdir(memory, { recursive: true })
      await mkdir(pids, { recursive: true })
      await writeFile(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes))
      await writeFile(join(pids, 'pids.max'), String(limits.processes + launcherProcesses))
      return group([memory, pids], {
        memory: () => counter(join(memory, 'memory.oom_control'), 'oom_kill'),
        processes: () => counter(join(pids, 'pids.events'), 'max'),
      })
    },
  }
}

/** The launcher, both bubblewrap processes and the first child are ours, not the execution's. */
const launcherProcesses = 4

interface Counters {
  memory(): Promise<number>
  processes(): Promise<number>
}

function group(directories: readonly string[], counters: Counters): ControlGroup {
  return {
    add: async (pid) => {
      for (const directory of directories) {
        await writeFile(join(directory, 'cgroup.procs'), String(pid))
      }
    },
    killAll: async () => {
      for (let attempt = 0; attempt < 200; attempt += 1) {
        const pids = await processesIn(directories[0] ?? '')
        if (pids.length === 0) return
        for (const pid of pids) killQuietly(pid)
        await delay(5)
      }
    },
    hits: async () => ({
      memory: await counters.memory(),
      processes: await counters.processes(),
    }),
    async [Symbol.asyncDispose]() {
      for (const directory of directories) await removeGroup(directory)
    },
  }
}

async function processesIn(directory: string): Promise<number[]> {
  const text = await readFile(join(directory, 'cgroup.procs'), 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [Number(line)]))
}

/** The last processes may still be on their way out. */
async function removeGroup(directory: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      await rmdir(directory)
      return
    } catch {
      await delay(10)
    }
  }
}

async function counter(path: string, name: string): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

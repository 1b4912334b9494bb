import { readFile } from 'node:fs/promises'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Signals } from '@sciencediscovery/event-store'
import { type Lifecycle } from '@sciencediscovery/service-kit'
import { createBwrapSandbox } from './adapters/bwrap/bwrap-sandbox.js'
import { scienceProfile } from './adapters/bwrap/profile.js'
import { UidRange } from './adapters/disk/uid-range.js'
import { createWorkspaceDirectories } from './adapters/disk/workspace-directories.js'
import { openWorkspaceRoot } from './adapters/disk/workspace-root.js'
import { createDiskFiles } from './adapters/files/disk-files.js'
import { createFileSearch } from './adapters/files/file-search.js'
import { createOutputStore } from './adapters/output/blob-output-store.js'
import { createSnapshotStore } from './adapters/snapshots/snapshot-store.js'
import { type RunnerConfig, type SandboxConfig } from './config.js'
import { type Machine } from './context.js'

/** What this machine offers: a wall that was tried, a place for workspaces, their snapshots and outputs. */
export async function openMachine(
  { dataDirectory, sandbox: limits }: RunnerConfig,
  parts: {
    readonly blobs: BlobStore
    readonly signals: Signals
    readonly replicaId: string
    readonly lifecycle: Lifecycle
  },
): Promise<Machine> {
  const { blobs, signals, replicaId, lifecycle } = parts
  const ownUids = process.getuid?.() === 0
  const rootDirectory = await openWorkspaceRoot(dataDirectory, ownUids)
  // The last uid belongs to the probe, which runs beside workspaces when the runner starts again.
  const uids = ownUids ? new UidRange(limits.firstUid, limits.workspaces) : undefined
  const sandbox = await createBwrapSandbox({
    rootDirectory,
    bwrapPath: limits.bwrapPath,
    profile: scienceProfile({
      memoryBytes: limits.memoryBytes ?? (await halfOfMemory()),
      processes: limits.processes,
      fileBytes: limits.maxWorkspaceBytes === 0 ? null : limits.maxWorkspaceBytes,
      openFiles: limits.openFiles,
      cpuSeconds: limits.cpuSeconds ?? null,
    }),
    name: replicaId,
    probeUid: ownUids ? limits.firstUid + limits.workspaces : undefined,
  })
  return {
    sandbox,
    rootDirectory,
    directories: createWorkspaceDirectories(rootDirectory, uids),
    snapshots: lifecycle.use(createSnapshotStore(blobs)),
    files: createDiskFiles(blobs, createFileSearch(limits.bwrapPath)),
    outputs: createOutputStore({
      ...{ blobs, signals, maxBytes: outputBytes(limits) },
      previewBytes: 16 * 1024,
    }),
  }
}

function outputBytes({ maxOutputBytes }: SandboxConfig): number {
  return maxOutputBytes === 0 ? Number.MAX_SAFE_INTEGER : maxOutputBytes
}

async function halfOfMemory(): Promise<number> {
  const meminfo = await readFile('/proc/meminfo', 'utf8')
  const kiB = Number(/^MemTotal:\s+(\d+) kB$/m.exec(meminfo)?.[1] ?? 4 * 1024 * 1024)
  return Math.floor((kiB * 1024) / 2)
}

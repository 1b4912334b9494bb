import { statfs } from 'node:fs/promises'
import {
  type DiagnoseRequest,
  type DiagnoseResponse,
  type Finding,
  Severity,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { type SandboxFinding } from '../sandbox.js'

const lowBytes = 1024 ** 3

/** What the start-up probe saw, and what the disk and the store say now. */
export function diagnose(ctx: Context): Unary<DiagnoseRequest, DiagnoseResponse> {
  return async () => ({
    service: 'execution-runner',
    replicaId: ctx.here.replicaId,
    findings: [
      ...ctx.machine.sandbox.findings.map(toFinding),
      ripgrepFinding(await ctx.machine.files.ripgrep()),
      await diskFinding(ctx.machine.rootDirectory),
      ...(await storeFindings(ctx)),
    ],
  })
}

function toFinding({ part, holds, required, message, remedy }: SandboxFinding): Finding {
  const broken = required ? Severity.SEVERITY_ERROR : Severity.SEVERITY_WARNING
  return {
    name: `sandbox:${part}`,
    severity: holds ? Severity.SEVERITY_OK : broken,
    message,
    remedy,
  }
}

function ripgrepFinding(path: string | undefined): Finding {
  return {
    name: 'ripgrep',
    severity: path === undefined ? Severity.SEVERITY_WARNING : Severity.SEVERITY_OK,
    message: path ?? 'missing: grep_files cannot search',
    remedy: path === undefined ? 'apt-get install ripgrep' : '',
  }
}

async function diskFinding(directory: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(directory)
  const freeBytes = bavail * bsize
  const low = freeBytes < lowBytes
  return {
    name: 'disk',
    severity: low ? Severity.SEVERITY_WARNING : Severity.SEVERITY_OK,
    message: `${Math.floor(freeBytes / 1024 ** 2)} MiB free for workspaces in ${directory}`,
    remedy: low ? 'free space, or move the data directory' : '',
  }
}

async function storeFindings(ctx: Context): Promise<Finding[]> {
  const { backend, version, notes } = await ctx.store.describe()
  const name = 'event-store'
  if (notes.length === 0) {
    const message = `${backend} ${version}`
    return [{ name, severity: Severity.SEVERITY_OK, message, remedy: '' }]
  }
  return notes.map(({ problem, remedy }) => ({
    ...{ name, message: problem, remedy },
    severity: Severity.SEVERITY_WARNING,
  }))
}

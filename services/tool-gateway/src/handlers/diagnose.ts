import { toPlatformError } from '@sciencediscovery/kernel'
import {
  type DiagnoseRequest,
  type DiagnoseResponse,
  type Finding,
  Severity,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { type Unary, withDeadline } from '@sciencediscovery/service-kit'
import { type Context, type OwnerProbe } from '../context.js'

const probeTimeoutMs = 2_000

/** Diagnose: whether the owners of effects answer, and whether outputs can be kept. */
export function diagnose(ctx: Context): Unary<DiagnoseRequest, DiagnoseResponse> {
  return async (_request, { signal }) => {
    const owners = ctx.probes.map((probe) => check(probe, signal))
    const findings = await Promise.all([...owners, checkBlobs(ctx)])
    return { service: 'tool-gateway', replicaId: ctx.here.replicaId, findings }
  }
}

async function check(probe: OwnerProbe, signal: AbortSignal): Promise<Finding> {
  const name = `owner:${probe.name}`
  try {
    await probe.check(withDeadline(signal, probeTimeoutMs))
    return ok(name, `${probe.address} answers`)
  } catch (error) {
    return broken(name, `${probe.address}: ${toPlatformError(error).message}`, {
      remedy: `start ${probe.name}, or correct its address in the configuration of the tool-gateway`,
    })
  }
}

async function checkBlobs({ blobs }: Context): Promise<Finding> {
  const name = 'blob-store'
  try {
    await blobs.stat('0'.repeat(64))
    return ok(name, 'answers')
  } catch (error) {
    return broken(name, toPlatformError(error).message, {
      remedy: 'make the blob store reachable and writable: long outputs cannot be kept without it',
    })
  }
}

function ok(name: string, message: string): Finding {
  return { name, severity: Severity.SEVERITY_OK, message, remedy: '' }
}

function broken(name: string, message: string, { remedy }: { readonly remedy: string }): Finding {
  return { name, severity: Severity.SEVERITY_ERROR, message, remedy }
}

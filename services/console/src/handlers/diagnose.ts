import {
  OperationsServiceService,
  Severity,
  type DiagnoseRequest,
  type DiagnoseResponse,
  type Finding,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { toPlatformError } from '@sciencediscovery/kernel'
import { rpcClient, type Channel, type Unary } from '@sciencediscovery/service-kit'

/** A service that is asked, by the name people know it by. */
export interface Patient {
  readonly name: string
  readonly channel: Channel
}

/** What the handler needs. */
export interface DiagnoseContext {
  readonly replicaId: string
  readonly patients: readonly Patient[]
  /** What the console found about itself. */
  readonly own: readonly Finding[]
  /** How long a service may take to answer. */
  readonly timeoutMs: number
}

/** Asks every service at once. Findings are named `SERVICE/CHECK`; a service without an answer is one. */
export function diagnose(context: DiagnoseContext): Unary<DiagnoseRequest, DiagnoseResponse> {
  return async (_request, call) => {
    const ask = (patient: Patient): Promise<readonly Finding[]> =>
      examine(patient, context.timeoutMs, call.signal)
    const findings = await Promise.all(context.patients.map(ask))
    return {
      service: 'console',
      replicaId: context.replicaId,
      findings: [...context.own, ...findings.flat()],
    }
  }
}

async function examine(
  { name, channel }: Patient,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  try {
    const client = rpcClient(OperationsServiceService, channel)
    const { findings } = await client.diagnose({}, { signal, timeoutMs, idempotent: false })
    const alive = {
      name: `${name}/answers`,
      severity: Severity.SEVERITY_OK,
      message: `at ${channel.address}`,
      remedy: '',
    }
    return [alive, ...findings.map((finding) => ({ ...finding, name: `${name}/${finding.name}` }))]
  } catch (error) {
    return [silent(name, channel.address, toPlatformError(error).message)]
  }
}

function silent(name: string, address: string, why: string): Finding {
  return {
    name: `${name}/answers`,
    severity: Severity.SEVERITY_ERROR,
    message: `no answer from ${address}: ${why}`,
    remedy: `start the ${name}, or correct its address in the console's configuration`,
  }
}

import { notFound } from '@sciencediscovery/kernel'
import {
  type FindToolOutputRequest,
  type FindToolOutputResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'

/** A kept output, for the session that it belongs to (S-19). */
export function findToolOutput(
  app: Application,
): Unary<FindToolOutputRequest, FindToolOutputResponse> {
  return async ({ sessionId, runId, ref, minPosition }) => {
    const kept = await app.views.toolOutput({ sessionId, runId, ref }, minPosition)
    if (!kept) throw notFound(`output ${JSON.stringify(ref.slice(0, 100))}`)
    return {
      digest: kept.digest,
      sizeBytes: BigInt(kept.sizeBytes),
      lines: BigInt(kept.lines),
      tool: kept.tool,
      reads: kept.reads.map(({ pageKey, bytes }) => ({ pageKey, bytes: BigInt(bytes) })),
    }
  }
}

import { PlatformError, notFound } from '@sciencediscovery/kernel'
import { type RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type CallContext, type Effect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import {
  type ToolOutputRead,
  type ToolOutputStored,
  ToolOutputReadSchema,
  ToolOutputStoredSchema,
} from '@sciencediscovery/run-events'
import { type Implementation } from '@sciencediscovery/service-kit'

/** The owner of runs, in memory: it records effects of results and answers from them. */
export interface FakeRuns {
  readonly service: Implementation<typeof RunServiceService>
  /** Records what a call brought about, as a run does. */
  readonly record: (place: CallContext, effects: readonly Effect[]) => void
}

interface Recorded<Fact> {
  readonly place: CallContext
  readonly data: Fact
}

const notAsked = (): Promise<never> =>
  Promise.reject(new PlatformError('bug', 'not asked by the gateway'))

/** Runs that a gateway asks about kept outputs. */
export function createFakeRuns(): FakeRuns {
  const stored: Recorded<ToolOutputStored['data']>[] = []
  const reads: Recorded<ToolOutputRead['data']>[] = []
  const service: FakeRuns['service'] = {
    startRun: notAsked,
    getRun: notAsked,
    listRuns: notAsked,
    watchRun: async function* () {
      yield await notAsked()
    },
    sendMessage: notAsked,
    stopRun: notAsked,
    listPermissions: notAsked,
    decidePermission: notAsked,
    getPlan: notAsked,
    getTranscript: notAsked,
    findToolOutput: ({ sessionId, runId, ref }) => {
      const found = stored.find(
        ({ place, data }) => place.sessionId === sessionId && data.ref === ref,
      )
      if (!found) throw notFound(`output ${ref}`)
      const { digest, sizeBytes, lines, tool } = found.data
      const own = reads.filter(({ place, data }) => place.runId === runId && data.ref === ref)
      const pages = own.map(({ data: { pageKey, bytes } }) => ({ pageKey, bytes: BigInt(bytes) }))
      const answer = { digest, sizeBytes: BigInt(sizeBytes), lines: BigInt(lines), tool }
      return Promise.resolve({ ...answer, reads: pages })
    },
  }
  return {
    service,
    record: (place, effects) => {
      for (const { type, version: v, dataJson } of effects) {
        const fact = { type, v, data: JSON.parse(dataJson) as unknown }
        const kept = ToolOutputStoredSchema.safeParse(fact)
        if (kept.success) stored.push({ place, data: kept.data.data })
        const read = ToolOutputReadSchema.safeParse(fact)
        if (read.success) reads.push({ place, data: read.data.data })
      }
    },
  }
}

import { toPlatformError } from '@sciencediscovery/kernel'
import { chainTraceparent, inSpan, withTraceparent } from '@sciencediscovery/service-kit'
import { type OrchestratorMetrics } from '../metrics.js'
import { type InvocationEnd, type ToolClient, type ToolInvocation } from '../tool-client.js'
import { turnChain } from '../turn-chain.js'

/** The same tools, with every call timed, and a span in the trace of the turn that asked for it. */
export function observedTools(tools: ToolClient, metrics: OrchestratorMetrics): ToolClient {
  return {
    list: (profile, policy, signal) => tools.list(profile, policy, signal),
    cancel: (invocation, signal) => tools.cancel(invocation, signal),
    async invoke(invocation, options) {
      const startedAt = performance.now()
      const note = (outcome: string): void => {
        metrics.step('tool', outcome, performance.now() - startedAt)
      }
      try {
        const end = await inCallSpan(invocation, () => tools.invoke(invocation, options))
        note(outcomeOf(end))
        return end
      } catch (error) {
        note(toPlatformError(error).code)
        throw error
      }
    },
  }
}

function inCallSpan<T>({ place, name, attempt }: ToolInvocation, fn: () => Promise<T>): Promise<T> {
  const attributes = {
    'sciencediscovery.run_id': place.runId,
    'sciencediscovery.call_id': place.callId,
    'sciencediscovery.attempt': attempt,
    'gen_ai.tool.name': name,
  }
  return withTraceparent(chainTraceparent(turnChain(place.runId, place.turn)), () =>
    inSpan('call', attributes, fn),
  )
}

function outcomeOf(end: InvocationEnd): string {
  if (end.kind === 'permission') return 'permission'
  return end.isError ? 'error' : 'ok'
}

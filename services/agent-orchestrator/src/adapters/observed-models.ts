import { toPlatformError } from '@sciencediscovery/kernel'
import { type ModelDirectory } from '../context.js'
import { type OrchestratorMetrics } from '../metrics.js'
import { type ModelProvider, type ModelTurn } from '../model-provider.js'

/** The same models, with every call timed and its tokens and cost counted. */
export function observedModels(
  directory: ModelDirectory,
  metrics: OrchestratorMetrics,
): ModelDirectory {
  const count = (spec: string, { model, usage }: ModelTurn): void => {
    if (usage) metrics.tokens(model, usage)
    metrics.cost(model, directory.priceOf(spec, model, usage))
  }
  return {
    ...directory,
    async resolve(spec, signal) {
      const provider = await directory.resolve(spec, signal)
      return timed(provider, metrics, (turn) => {
        count(spec, turn)
      })
    },
  }
}

function timed(
  provider: ModelProvider,
  metrics: OrchestratorMetrics,
  onTurn: (turn: ModelTurn) => void,
): ModelProvider {
  return {
    id: provider.id,
    async complete(request, options) {
      const startedAt = performance.now()
      const note = (outcome: string): void => {
        metrics.step('model', outcome, performance.now() - startedAt)
      }
      try {
        const turn = await provider.complete(request, options)
        note('ok')
        onTurn(turn)
        return turn
      } catch (error) {
        note(toPlatformError(error).code)
        throw error
      }
    },
  }
}

import { type Metrics } from '@sciencediscovery/service-kit'
import { type ModelUsage } from './model-provider.js'

/** What the orchestrator counts. Labels are few: stages, outcomes and models, never ids. */
export interface OrchestratorMetrics {
  /** How long a step of a run took. */
  step(stage: 'model' | 'tool', outcome: string, durationMs: number): void
  tokens(model: string, usage: ModelUsage): void
  /** US dollars, or undefined when the price is unknown. */
  cost(model: string, usd: number | undefined): void
}

/** The counters of a process. */
export function createOrchestratorMetrics(metrics: Metrics): OrchestratorMetrics {
  const seconds = metrics.histogram({
    name: 'step_seconds',
    help: 'Duration of a model call or a tool call, by outcome.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800],
  })
  const tokens = metrics.counter({
    name: 'tokens_total',
    help: 'Tokens of model calls, as the model service says.',
  })
  const cost = metrics.counter({
    name: 'cost_usd_total',
    help: 'Cost of model calls whose price is known, in US dollars.',
  })
  const unpriced = metrics.counter({
    name: 'unpriced_turns_total',
    help: 'Model calls whose price is not known: the cost is that much too low.',
  })
  return {
    step: (stage, outcome, durationMs) => {
      seconds(durationMs / 1_000, { stage, outcome })
    },
    tokens: (model, { inputTokens, outputTokens }) => {
      tokens(inputTokens, { model, direction: 'input' })
      tokens(outputTokens, { model, direction: 'output' })
    },
    cost: (model, usd) => {
      if (usd === undefined) unpriced(1, { model })
      else cost(usd, { model })
    },
  }
}

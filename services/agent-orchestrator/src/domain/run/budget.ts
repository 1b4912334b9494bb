import { type RunFacts } from './state.js'

/** The limit that forbids a further model turn, in words; undefined when there is none. */
export function exceededBudget(facts: RunFacts, now: string): string | undefined {
  const { limits, at } = facts.header
  const { usage } = facts
  if (facts.turnsCompleted >= limits.maxModelTurns) {
    return `max_model_turns: ${limits.maxModelTurns} model turns are used up`
  }
  if (limits.maxTokens > 0 && usage.inputTokens + usage.outputTokens >= limits.maxTokens) {
    return `max_tokens: ${limits.maxTokens} tokens are used up`
  }
  if (limits.maxCostUsd > 0 && usage.costUsd >= limits.maxCostUsd) {
    return `max_cost_usd: ${limits.maxCostUsd} US dollars are used up`
  }
  if (limits.wallMs > 0 && Date.parse(now) - Date.parse(at) >= limits.wallMs) {
    return `wall_ms: the run took ${limits.wallMs} ms`
  }
  return undefined
}

import { invalid } from '@sciencediscovery/kernel'
import { type AgentConfig } from '../config.js'
import { type ModelDirectory } from '../context.js'
import { type Texts } from '../texts.js'
import { createModelProviders } from './models/model-providers.js'
import { canSee, priceOf, readPrices } from './models/prices.js'

/** The model services that the deployment has keys for, and scripts. */
export function createModelDirectory(agent: AgentConfig, texts: Texts): ModelDirectory {
  const limits = { concurrency: agent.modelConcurrency }
  const prices = readPrices()
  const idleTimeoutMs = agent.modelIdleTimeoutMs
  const providers = createModelProviders({
    openai: { ...agent.openai, limits, idleTimeoutMs },
    anthropic: { ...agent.anthropic, limits, idleTimeoutMs },
    loadScript: async (digest) => new TextDecoder().decode(await texts.loadBytes(digest)),
    loadImage: (digest) => texts.loadBytes(digest),
    sees: (model) => canSee(model, prices),
  })
  return {
    fallbackSpec: agent.model,
    check(spec) {
      if (spec === '') {
        throw invalid(
          'model',
          'no model is named and the deployment has no default',
          'send openai:NAME or anthropic:NAME, or set SCIENCE_AGENT_MODEL',
        )
      }
      providers.check(spec)
    },
    resolve: (spec, signal) => providers.resolve(spec, signal),
    // A script costs nothing: its turns were written by a person.
    priceOf: (spec, model, usage) =>
      spec.startsWith('scripted:') ? 0 : priceOf(model, usage, prices),
  }
}

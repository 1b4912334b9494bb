export { createService, type OrchestratorOverrides, type OrchestratorService } from './service.js'
export {
  loadOrchestratorConfig,
  loadAgentConfig,
  type OrchestratorConfig,
  type AgentConfig,
} from './config.js'
export { migrations, views } from './db/migrations/index.js'

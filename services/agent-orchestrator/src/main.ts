import { runService } from '@sciencediscovery/service-kit'
import { loadOrchestratorConfig } from './config.js'
import { createService } from './service.js'

await runService(
  'agent-orchestrator',
  () => loadOrchestratorConfig(),
  (config) => createService(config),
)

import { runService } from '@sciencediscovery/service-kit'
import { loadConsoleConfig } from './config.js'
import { createService } from './service.js'

await runService('console', () => loadConsoleConfig(), createService)

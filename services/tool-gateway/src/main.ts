import { runService } from '@sciencediscovery/service-kit'
import { loadGatewayConfig } from './config.js'
import { createService } from './service.js'

await runService('tool-gateway', loadGatewayConfig, createService)

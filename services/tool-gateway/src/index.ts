export { createService, type GatewayOverrides, type GatewayService } from './service.js'
export {
  loadGatewayConfig,
  loadToolOutputConfig,
  type GatewayConfig,
  type ToolOutputConfig,
} from './config.js'

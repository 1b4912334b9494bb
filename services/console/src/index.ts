export { runScid, type ScidProcess } from './scid.js'
export { type LocalStack, type StartLocal, type IsHeld } from './adapters/find-local.js'
export { type SignalSource } from './adapters/interrupts.js'
export {
  readEndpoint,
  writeEndpoint,
  removeEndpoint,
  type Endpoint,
} from './adapters/endpoint-file.js'
export { createService, type ConsoleService, type ConsoleOverrides } from './service.js'
export { loadConsoleConfig, type ConsoleConfig } from './config.js'

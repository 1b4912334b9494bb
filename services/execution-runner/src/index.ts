export { createService, type RunnerOverrides, type RunnerService } from './service.js'
export {
  loadRunnerConfig,
  loadSandboxConfig,
  type RunnerConfig,
  type SandboxConfig,
} from './config.js'

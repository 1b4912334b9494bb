import { runService } from '@sciencediscovery/service-kit'
import { loadRunnerConfig } from './config.js'
import { createService } from './service.js'

await runService('execution-runner', loadRunnerConfig, createService)

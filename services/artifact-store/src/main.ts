import { runService } from '@sciencediscovery/service-kit'
import { loadArtifactStoreConfig } from './config.js'
import { createService } from './service.js'

await runService('artifact-store', loadArtifactStoreConfig, createService)

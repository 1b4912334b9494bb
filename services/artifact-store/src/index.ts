export { createService, type ArtifactStoreOverrides, type ArtifactStoreService } from './service.js'
export { loadArtifactStoreConfig, loadMaxUploadBytes, type ArtifactStoreConfig } from './config.js'
export { migrations } from './db/migrations/index.js'

export { type BlobStore, type BlobStat } from './blob-store.js'

export { type BlobStore, type BlobStat, type BlobSource } from './blob-store.js'
export { createDirectoryBlobStore, type DirectoryBlobStoreOptions } from './directory-blob-store.js'
export { isDigest, digestOf } from './digest.js'

export * from './blob-store.js'
export * from './blobs.module.js'
export { bytesOf, type StoredBytes } from './file-bytes.js'
export * from './folder-blob-store.js'

export * from './directory-lock.js'
export * from './embedded-postgres.js'
export * from './free-port.js'
export * from './process-identity.js'

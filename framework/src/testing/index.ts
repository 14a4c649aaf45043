export * from './manual-clock.js'
export * from './test-host.js'
export * from './token-issuer.js'

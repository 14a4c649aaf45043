export { type FailedStatement, failedStatement } from '../modularity/failed-statement.js'
export * from './manual-clock.js'
export * from './test-host.js'
export * from './token-issuer.js'

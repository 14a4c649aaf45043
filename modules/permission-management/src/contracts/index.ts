export * from './permission-grants.js'

export * from './live-events.js'

export * from './client.js'
export * from './remote-services.js'

export * from './exports.module.js'
export * from './list-files.js'
export * from './list-mails.js'

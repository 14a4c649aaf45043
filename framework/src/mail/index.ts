export * from './mail.module.js'
export * from './mail-address.js'
export * from './mail-settings.js'
export * from './mailer.js'

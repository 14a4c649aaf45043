export * from './sms.module.js'
export * from './sms-sender.js'
export { Sms } from './sms-settings.js'

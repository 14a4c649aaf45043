export * from './permissions.js'
export * from './roles.js'
export * from './settings.js'
export * from './sign-in.js'

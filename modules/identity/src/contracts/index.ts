export * from './permissions.js'
export * from './roles.js'
export * from './sign-in.js'

export * from './background-jobs.js'
export * from './background-work.js'
export * from './inbox-events.js'
export * from './permissions.js'

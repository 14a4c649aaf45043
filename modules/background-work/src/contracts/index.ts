import { BackgroundJobAppService } from './background-jobs.js'
import { InboxEventAppService } from './inbox-events.js'

export * from './background-jobs.js'
export * from './background-work.js'
export * from './inbox-events.js'

/** Every contract of the module. */
export const backgroundWorkServices = [BackgroundJobAppService, InboxEventAppService] as const

import { remoteService } from '@keel/framework/contracts'

/** Where jobs and events are looked after: `/api/background-work`. */
export const BackgroundWork = remoteService('BackgroundWork', 'background-work', undefined, 'backgroundWork')

/** The error codes of the module; `id` is that of the job or event. */
export const BackgroundWorkErrors = {
  JobIsOver: 'BackgroundWork:JobIsOver',
  JobIsBusy: 'BackgroundWork:JobIsBusy',
  EventNotDiscarded: 'BackgroundWork:EventNotDiscarded',
} as const

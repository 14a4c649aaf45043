import { remoteService } from '@keel/framework/contracts'

/** Where jobs and events are looked after: `/api/background-work`. */
export const BackgroundWork = remoteService('BackgroundWork', 'background-work', undefined, 'backgroundWork')

/** What the module refuses; `id` says of which job or event. */
export const BackgroundWorkErrors = {
  JobIsOver: 'BackgroundWork:JobIsOver',
  JobIsBusy: 'BackgroundWork:JobIsBusy',
  EventNotDiscarded: 'BackgroundWork:EventNotDiscarded',
} as const

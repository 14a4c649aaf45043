import { GrantedTo, PermissionGroup, remoteService } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** Where jobs and events are looked after: `/api/background-work`. */
export const BackgroundWork = remoteService('BackgroundWork', 'background-work', undefined, 'backgroundWork')

/** Who may see and change what is done behind the answers. */
@PermissionGroup('BackgroundWork')
export class BackgroundWorkPermissions {
  @GrantedTo(InternalAdmin) static readonly Jobs = 'BackgroundWork.Jobs'
  /** Cancel jobs and run them again. */
  @GrantedTo(InternalAdmin) static readonly ManageJobs = 'BackgroundWork.Jobs.Manage'
  @GrantedTo(InternalAdmin) static readonly Events = 'BackgroundWork.Events'
  /** Replay and delete discarded events. */
  @GrantedTo(InternalAdmin) static readonly ManageEvents = 'BackgroundWork.Events.Manage'
}

/** What the module refuses; `id` says of which job or event. */
export const BackgroundWorkErrors = {
  JobIsOver: 'BackgroundWork:JobIsOver',
  JobIsBusy: 'BackgroundWork:JobIsBusy',
  EventNotDiscarded: 'BackgroundWork:EventNotDiscarded',
} as const

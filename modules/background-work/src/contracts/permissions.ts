import { GrantedTo, manageJobsPermission, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** Permissions on background jobs and on distributed events. */
@PermissionGroup('BackgroundWork')
export class BackgroundWorkPermissions {
  @GrantedTo(InternalAdmin) static readonly Jobs = 'BackgroundWork.Jobs'
  /** Cancel jobs and run them again. */
  @GrantedTo(InternalAdmin) static readonly ManageJobs = manageJobsPermission
  @GrantedTo(InternalAdmin) static readonly Events = 'BackgroundWork.Events'
  /** Replay and delete discarded events. */
  @GrantedTo(InternalAdmin) static readonly ManageEvents = 'BackgroundWork.Events.Manage'
}

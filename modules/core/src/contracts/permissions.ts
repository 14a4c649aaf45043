import {
  crudPermissions,
  ExportsFeature,
  GrantedTo,
  OnlyWithFeature,
  PermissionGroup,
} from '@keel/framework/contracts'
import { CustomerAdmin, DefaultCustomer, InternalAdmin, Operator, SuperUser } from '@keel/identity/contracts'

/** Permissions on saved views: each person has views of their own. */
@PermissionGroup('App')
export class SavedViewPermissions extends crudPermissions('SavedView', {
  View: [DefaultCustomer],
  Create: [DefaultCustomer],
  Edit: [DefaultCustomer],
  Delete: [DefaultCustomer],
}) {
  /** Show own views to the members of an organization; to the holders of a role together with `Organization.AccessAll`. */
  @GrantedTo(CustomerAdmin, Operator) static readonly Share = 'SavedView.Share'
}

/** Permissions on notifications: each person has an inbox. */
@PermissionGroup('App')
export class NotificationPermissions {
  /** Read own notifications, and choose what to be notified of. */
  @GrantedTo(DefaultCustomer) static readonly View = 'Notification.View'
  /** Send a message to all users, a role or an organization. */
  @GrantedTo(SuperUser) static readonly Broadcast = 'Notification.Broadcast'
}

/** Permissions on the data of other persons. Each person gets an export of the own data without any. */
@PermissionGroup('App')
export class PersonalDataPermissions {
  /** See the requests about everybody, without their files. */
  @GrantedTo(InternalAdmin) static readonly View = 'PersonalData.View'
  /** Export everything about a person. */
  @GrantedTo(InternalAdmin) static readonly Export = 'PersonalData.Export'
  /** Erase a person, and see what that would do. */
  @GrantedTo(InternalAdmin) static readonly Erase = 'PersonalData.Erase'
}

/** Permissions on export schedules: each person has schedules of their own. */
@PermissionGroup('App')
@OnlyWithFeature(ExportsFeature)
export class ExportSchedulePermissions extends crudPermissions('ExportSchedule', {
  View: [DefaultCustomer],
  Create: [DefaultCustomer],
  Edit: [DefaultCustomer],
  Delete: [DefaultCustomer],
}) {
  /** Have exports mailed to addresses of others, and posted to webhooks. */
  @GrantedTo(CustomerAdmin, Operator) static readonly SendOutside = 'ExportSchedule.SendOutside'
  /** See, pause and delete the schedules of everybody; not change them, nor get their files. */
  @GrantedTo(SuperUser) static readonly ManageAll = 'ExportSchedule.ManageAll'
}

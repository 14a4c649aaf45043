import { crudPermissions, GrantedTo, OnlyWithFeature, PermissionGroup } from '@keel/framework/contracts'
import {
  CustomerAdmin,
  DefaultCustomer,
  InternalAdmin,
  OperationsManager,
  Operator,
  PricingAnalyst,
  SuperUser,
} from '@keel/identity/contracts'
import { HubFeatures } from './settings.js'

/** Permissions on shipments. @see interface document, "Shipment endpoints" */
@PermissionGroup('Hub')
export class ShipmentPermissions extends crudPermissions('Shipment', {
  View: [DefaultCustomer],
  Create: [CustomerAdmin, Operator],
  Edit: [CustomerAdmin, Operator],
  Delete: [OperationsManager],
}) {
  /** Value and currency of the goods: to see them, and to set them. */
  @GrantedTo(DefaultCustomer) static readonly ViewGoodsValue = 'Shipment.ViewGoodsValue'
  /** Take shipments from status to status, put them on hold and release them. */
  @GrantedTo(Operator) static readonly ChangeStatus = 'Shipment.ChangeStatus'
  /** Read and write the notes on shipments that customers do not see. */
  @GrantedTo(Operator) static readonly ViewInternalNotes = 'Shipment.ViewInternalNotes'
  @GrantedTo(CustomerAdmin, Operator) static readonly Cancel = 'Shipment.Cancel'
  /** Open completed and cancelled shipments again. */
  @GrantedTo(OperationsManager) static readonly Reopen = 'Shipment.Reopen'
  /** Give a shipment any status, and cancel one whose cargo has been received. */
  @GrantedTo(OperationsManager) static readonly ForceStatus = 'Shipment.ForceStatus'
}

/** Permissions on orders; without View a shipment shows none. */
@PermissionGroup('Hub')
export class OrderPermissions extends crudPermissions('Order', {
  View: [DefaultCustomer],
  Create: [CustomerAdmin, Operator],
  Edit: [CustomerAdmin, Operator],
  Delete: [OperationsManager],
}) {
  @GrantedTo(CustomerAdmin, Operator) static readonly Cancel = 'Order.Cancel'
}

/** Permissions on documents; without View a shipment shows none. */
@PermissionGroup('Hub')
export class DocumentPermissions extends crudPermissions('Document', {
  View: [DefaultCustomer],
  Create: [CustomerAdmin, Operator],
  Edit: [CustomerAdmin, Operator],
  Delete: [OperationsManager],
}) {}

/** The permission to change Hub's settings. */
@PermissionGroup('Hub')
export class HubSettingPermissions {
  @GrantedTo(InternalAdmin) static readonly SettingManagement = 'Hub.SettingManagement'
}

/** Permissions on ports. */
@PermissionGroup('Hub')
export class PortPermissions extends crudPermissions('Port', {
  View: [DefaultCustomer],
  Create: [OperationsManager],
  Edit: [OperationsManager],
  Delete: [SuperUser],
}) {}

/** The permission to import the official lists that publishers of codes give out. */
@PermissionGroup('Hub')
export class ReferenceDataPermissions {
  @GrantedTo(SuperUser) static readonly Import = 'ReferenceData.Import'
}

/** Permissions on carriers and ships. */
@PermissionGroup('Hub')
export class CarrierPermissions extends crudPermissions('Carrier', {
  View: [DefaultCustomer],
  Create: [OperationsManager],
  Edit: [OperationsManager],
  Delete: [SuperUser],
}) {}

/** Permissions on departures that can be booked. */
@PermissionGroup('Hub')
export class SailingSchedulePermissions extends crudPermissions('SailingSchedule', {
  View: [DefaultCustomer],
  Create: [Operator],
  Edit: [Operator],
  Delete: [OperationsManager],
}) {}

/** Permissions on consols, their legs and their shipments. */
@PermissionGroup('Hub')
export class ConsolPermissions extends crudPermissions('Consol', {
  View: [DefaultCustomer],
  Create: [Operator],
  Edit: [Operator],
  Delete: [OperationsManager],
}) {
  @GrantedTo(Operator) static readonly ChangeStatus = 'Consol.ChangeStatus'
}

/** Permissions on containers. */
@PermissionGroup('Hub')
export class ContainerPermissions extends crudPermissions('Container', {
  View: [DefaultCustomer],
  Create: [Operator],
  Edit: [Operator],
  Delete: [OperationsManager],
}) {}

/** Permissions on track and trace. */
@PermissionGroup('Hub')
export class TrackingEventPermissions {
  @GrantedTo(DefaultCustomer) static readonly View = 'TrackingEvent.View'
  /** Report events, which move shipments: for carriers' programs with API keys, and for staff. */
  @GrantedTo(Operator) static readonly Create = 'TrackingEvent.Create'
}

/** Permissions on greenhouse gases. */
@PermissionGroup('Hub')
@OnlyWithFeature(HubFeatures.Emissions)
export class EmissionPermissions {
  @GrantedTo(DefaultCustomer) static readonly View = 'Emission.View'
  @GrantedTo(Operator) static readonly Recalculate = 'Emission.Recalculate'
  /** Create, change and delete emission factors. */
  @GrantedTo(OperationsManager) static readonly ManageFactors = 'Emission.ManageFactors'
}

/** Emission factors are read with emissions, and written by those who manage them. */
export class EmissionFactorPermissions {
  static readonly View = EmissionPermissions.View
  static readonly Create = EmissionPermissions.ManageFactors
  static readonly Edit = EmissionPermissions.ManageFactors
  static readonly Delete = EmissionPermissions.ManageFactors
}

/** Permissions on code entities. */
@PermissionGroup('Hub')
export class CodeEntityPermissions extends crudPermissions('CodeEntity', {
  View: [DefaultCustomer],
  Create: [OperationsManager],
  Edit: [OperationsManager],
  Delete: [SuperUser],
}) {}

/** Permissions on organizations. */
@PermissionGroup('Hub')
export class OrganizationPermissions extends crudPermissions('Organization', {
  View: [DefaultCustomer],
  Create: [Operator],
  Edit: [CustomerAdmin, Operator],
  Delete: [OperationsManager],
}) {
  /** See the data of every organization, as staff do. */
  @GrantedTo(Operator, PricingAnalyst) static readonly AccessAll = 'Organization.AccessAll'
  /** See deleted organizations and bring them back. */
  @GrantedTo(OperationsManager) static readonly Restore = 'Organization.Restore'
  /** See who is a member, and change it: of the caller's own organizations, or of all with AccessAll. */
  @GrantedTo(CustomerAdmin, OperationsManager)
  static readonly ManageMembers = 'Organization.ManageMembers'
}

/** Permissions on webhooks. What one sends is limited by the rights of its owner besides. */
@PermissionGroup('Hub')
export class WebhookPermissions extends crudPermissions('Webhook', {
  View: [CustomerAdmin, Operator],
  Create: [CustomerAdmin, Operator],
  Edit: [CustomerAdmin, Operator],
  Delete: [CustomerAdmin, Operator],
}) {}

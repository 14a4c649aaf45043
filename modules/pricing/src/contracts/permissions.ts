import { crudPermissions, GrantedTo, PermissionGroup } from '@keel/framework/contracts'
import { DefaultCustomer, PricingAnalyst, PricingManager } from '@keel/identity/contracts'

/** Permissions on currencies and exchange rates. */
@PermissionGroup('Pricing')
export class ExchangeRatePermissions extends crudPermissions('ExchangeRate', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** Permissions on charge codes. */
@PermissionGroup('Pricing')
export class ChargeCodePermissions extends crudPermissions('ChargeCode', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** Permissions on zones of ports and countries. */
@PermissionGroup('Pricing')
export class RateZonePermissions extends crudPermissions('RateZone', {
  View: [PricingAnalyst],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingAnalyst],
}) {}

/** Permissions on rate cards, their lanes, lines and breaks. */
@PermissionGroup('Pricing')
export class RateCardPermissions extends crudPermissions('RateCard', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {
  /** Approve, return, suspend and resume cards. */
  @GrantedTo(PricingManager) static readonly Approve = 'RateCard.Approve'
  /** See buying cards. */
  @GrantedTo(PricingAnalyst) static readonly ViewBuy = 'RateCard.ViewBuy'
}

/** Permissions on surcharges. */
@PermissionGroup('Pricing')
export class SurchargePermissions extends crudPermissions('Surcharge', {
  View: [PricingAnalyst],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** Permissions on fuel indices and their values. */
@PermissionGroup('Pricing')
export class FuelIndexPermissions extends crudPermissions('FuelIndex', {
  View: [PricingAnalyst],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** Permissions on margin rules. */
@PermissionGroup('Pricing')
export class MarginRulePermissions extends crudPermissions('MarginRule', {
  View: [PricingAnalyst],
  Create: [PricingManager],
  Edit: [PricingManager],
  Delete: [PricingManager],
}) {}

/** The permission to change Pricing's settings. */
@PermissionGroup('Pricing')
export class PricingSettingPermissions {
  @GrantedTo(PricingManager) static readonly SettingManagement = 'Pricing.SettingManagement'
}

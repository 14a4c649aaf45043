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

/** The permission to change Pricing's settings. */
@PermissionGroup('Pricing')
export class PricingSettingPermissions {
  @GrantedTo(PricingManager) static readonly SettingManagement = 'Pricing.SettingManagement'
}

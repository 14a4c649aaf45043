import { crudPermissions, PermissionGroup } from '@keel/framework/contracts'
import { DefaultCustomer, PricingAnalyst, PricingManager } from '@keel/identity/contracts'

/** What may be done with currencies and exchange rates. */
@PermissionGroup('Pricing')
export class ExchangeRatePermissions extends crudPermissions('ExchangeRate', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** What may be done with charge codes. */
@PermissionGroup('Pricing')
export class ChargeCodePermissions extends crudPermissions('ChargeCode', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

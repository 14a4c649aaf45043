import type { Migration } from '../migration.js'

/**
 * Orders were read with `Shipment.View`, and are read with `Order.View` from now on: whoever was granted or denied the one is granted or denied the other,
 * users, roles, clients and API keys alike.
 */
export const readersOfOrdersMigration: Migration = {
  name: '20261124-readers-of-orders',
  up: /* sql */ `
insert into "AbpPermissionGrants" ("Id", "TenantId", "Name", "ProviderName", "ProviderKey")
select gen_random_uuid(), g."TenantId", 'Order.View', g."ProviderName", g."ProviderKey"
from "AbpPermissionGrants" g where g."Name" = 'Shipment.View'
on conflict do nothing;
insert into "AppPermissionProhibitions" ("Id", "TenantId", "Name", "ProviderName", "ProviderKey")
select gen_random_uuid(), p."TenantId", 'Order.View', p."ProviderName", p."ProviderKey"
from "AppPermissionProhibitions" p where p."Name" = 'Shipment.View'
on conflict do nothing;
`,
  down: /* sql */ `
-- Which grants of Order.View came by this migration is not known any more. The earlier release passes over permissions that it does not define.
`,
}

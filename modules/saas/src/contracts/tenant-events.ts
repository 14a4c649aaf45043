import { EventDto, guid, z } from '@keel/framework/contracts'

/** ABP's event of a new tenant. Nobody publishes it while multi-tenancy is off. */
export class TenantCreatedEto extends EventDto('abp.multi_tenancy.tenant.created', {
  id: guid(),
  name: z.string(),
  /** The input for the seeders of the tenant's database, e.g. the administrator's address. */
  properties: z.record(z.string(), z.string()).default({}),
}) {}

/** ABP's request to bring a database up to date, of a tenant or of the host. */
export class ApplyDatabaseMigrationsEto extends EventDto('abp.data.apply_database_migrations', {
  tenantId: guid().nullish(),
  /** Connection name. */
  databaseName: z.string(),
  properties: z.record(z.string(), z.string()).default({}),
}) {}

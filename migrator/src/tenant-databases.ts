import { Application, Injectable } from '@keel/framework'
import { isMultiTenancyEnabled } from '@keel/framework/contracts'
import { runSeeders } from '@keel/framework/data'
import { EventHandler } from '@keel/framework/events'
import { ApplyDatabaseMigrationsEto, TenantCreatedEto } from '@keel/saas/contracts'

/**
 * Hears of new tenants and of requests to bring a database up to date (interface document, "Events"). Inactive while multi-tenancy is off.
 * All tenants share the database that the migrator has brought up to date before its modules start, so that seeding is what is left.
 */
@Injectable()
export class TenantDatabases {
  constructor(private readonly application: Application) {}

  @EventHandler(TenantCreatedEto)
  async tenantCreated(_event: TenantCreatedEto): Promise<void> {
    await this.seed()
  }

  @EventHandler(ApplyDatabaseMigrationsEto)
  async migrationsRequested({ databaseName }: ApplyDatabaseMigrationsEto): Promise<void> {
    // Hub and Pricing are brought up to date by their own command.
    if (databaseName === 'Default') await this.seed()
  }

  private async seed(): Promise<void> {
    if (isMultiTenancyEnabled) await runSeeders(this.application)
  }
}

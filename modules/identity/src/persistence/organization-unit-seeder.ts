import { Clock, Injectable } from '@keel/framework'
import { Databases, insertMissing, namedGuid, newStamp, type SeedContext, Seeder } from '@keel/framework/data'
import { OrganizationUnit } from '../domain/organization-unit.js'

/** The default organization unit, which people may rename or build below; one that was deleted stays so. */
@Injectable()
export class OrganizationUnitSeeder extends Seeder {
  constructor(
    private readonly databases: Databases,
    private readonly clock: Clock,
  ) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    const row = {
      id: namedGuid('OrganizationUnit:Default'),
      parentId: null,
      code: '00001',
      displayName: 'Default',
      entityVersion: 0,
      extraProperties: '{}',
      concurrencyStamp: newStamp(),
      creationTime: this.clock.now,
      isDeleted: false,
    }
    const added = await insertMissing(this.databases, OrganizationUnit, [row])
    if (added) logger.info({ organizationUnit: row.displayName }, 'organization unit added')
  }
}

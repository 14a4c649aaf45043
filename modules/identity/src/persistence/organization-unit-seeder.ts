import { Injectable } from '@keel/framework'
import { missingRows, namedGuid, type SeedContext, Seeder, Stores } from '@keel/framework/data'
import { OrganizationUnit } from '../domain/organization-unit.js'

/** The default organization unit, which people may rename or build below; one that was deleted stays so. */
@Injectable()
export class OrganizationUnitSeeder extends Seeder {
  constructor(private readonly stores: Stores) {
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
    }
    const { inserted } = await this.stores.of(OrganizationUnit).insertMany([row], missingRows)
    if (inserted) logger.info({ organizationUnit: row.displayName }, 'organization unit added')
  }
}

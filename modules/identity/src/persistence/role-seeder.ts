import { Injectable } from '@keel/framework'
import { namedGuid, type SeedContext, Seeder, sql } from '@keel/framework/data'
import { productRoles } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { RoleStore } from './stores.js'

/** Seeds the roles of the product. Existing roles stay unchanged: administrators may have edited them. */
@Injectable()
export class RoleSeeder extends Seeder {
  constructor(private readonly roles: RoleStore) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    for (const { name, isDefault, isStatic, isPublic } of productRoles) {
      const normalized = normalizedName(name)
      if ((await this.roles.where(sql`t."NormalizedName" = ${normalized}`)).length) continue
      const id = namedGuid(`Role:${name}`)
      const row = {
        id,
        name,
        normalizedName: normalized,
        isDefault,
        isStatic,
        isPublic,
        entityVersion: 0,
        extraProperties: '{}',
      }
      await this.roles.insert(row)
      logger.info({ role: name }, 'role added')
    }
  }
}

import { Injectable } from '@keel/framework'
import { namedGuid, type SeedContext, Seeder, sql } from '@keel/framework/data'
import { productRoles } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { RoleStore } from './stores.js'

/**
 * Seeds the roles of the product, which are static: their names stand in the code. Existing roles stay unchanged otherwise:
 * administrators may have edited them.
 */
@Injectable()
export class RoleSeeder extends Seeder {
  constructor(private readonly roles: RoleStore) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    for (const { name, isDefault, isPublic } of productRoles) {
      const normalized = normalizedName(name)
      const [known] = await this.roles.where(sql`t."NormalizedName" = ${normalized}`)
      if (known && !known.isStatic) await this.roles.update(known, { isStatic: true })
      if (known) continue
      const id = namedGuid(`Role:${name}`)
      const row = {
        id,
        name,
        normalizedName: normalized,
        isDefault,
        isStatic: true,
        isPublic,
        entityVersion: 0,
        extraProperties: '{}',
      }
      await this.roles.insert(row)
      logger.info({ role: name }, 'role added')
    }
  }
}

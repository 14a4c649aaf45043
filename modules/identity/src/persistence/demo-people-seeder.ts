import { Clock, Injectable } from '@keel/framework'
import { type SeedContext, Seeder, sql } from '@keel/framework/data'
import { hashPassword } from '@keel/framework/security'
import { demoCustomers, demoStaff } from '../contracts/demo-people.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { seededPassword } from '../seeded-users/index.js'
import { UserStore } from './stores.js'
import { seededRow } from './user-seeder.js'

/**
 * Adds the people of demo data (domain model, section 10). Those who are there, also deleted ones, stay as they are. Only Development gives them
 * the published password.
 */
@Injectable()
export class DemoPeopleSeeder extends Seeder {
  static override readonly demo = true

  constructor(
    private readonly users: UserStore,
    private readonly clock: Clock,
  ) {
    super()
  }

  async seed({ isDevelopment, logger }: SeedContext): Promise<void> {
    const { database } = this.users
    const people = [...demoCustomers, ...demoStaff]
    const known = await database.query<{ name: string }>(sql`
      select "NormalizedUserName" as name from "AbpUsers"
      where "NormalizedUserName" = any(${people.map(({ userName }) => normalizedName(userName))})`)
    const names = new Set(known.map(({ name }) => name))
    const missing = people.filter(({ userName }) => !names.has(normalizedName(userName)))
    if (!missing.length) return
    // One hash for all of them: the password is published anyway.
    const passwordHash = isDevelopment ? await hashPassword(seededPassword) : null
    const rows = missing.map((person) => seededRow(person, passwordHash, this.clock.now))
    await this.users.insertMany(rows, { audit: 'count', events: 'batch' })
    await database.execute(sql`
      insert into "AbpUserRoles" ("UserId", "RoleId")
      select u.id, r."Id"
      from unnest(${rows.map(({ id }) => id as string)}::uuid[], ${missing.map(({ role }) => normalizedName(role.name))}::text[]) as u(id, role)
      join "AbpRoles" r on r."NormalizedName" = u.role
      on conflict do nothing`)
    logger.info({ users: rows.length }, 'demo people seeded')
  }
}

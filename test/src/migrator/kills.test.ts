import { afterEach, beforeAll, expect, test } from 'vitest'
import { sizeOf } from '../support/size.js'
import { makeDatabase, migrate, schemaOf, startMigrator, type TestDatabase } from './migrator-program.js'

const kills = sizeOf(3, 200)
const mostInARow = 3
const databases: TestDatabase[] = []
let wantedSchema: string[]
let wantedSeeds: object

beforeAll(async () => {
  const migrated = await makeDatabase('migrated')
  wantedSchema = await schemaOf(migrated)
  wantedSeeds = await seedsOf(migrated)
  await migrated.drop()
})
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

/** What seeders write, by what makes it the same thing. */
const seedsOf = async (database: TestDatabase): Promise<object> =>
  Object.assign(
    {},
    ...(await database.query(`
      select (select json_agg("Name" order by "Name") from "AbpRoles") as roles,
        (select json_agg("UserName" order by "UserName") from "AbpUsers") as users,
        (select json_agg(concat(u."UserName", ' ', r."Name") order by 1) from "AbpUserRoles" x
          join "AbpUsers" u on u."Id" = x."UserId" join "AbpRoles" r on r."Id" = x."RoleId") as members,
        (select json_agg(concat("ProviderKey", ' ', "Name") order by concat("ProviderKey", ' ', "Name")) from "AbpPermissionGrants") as grants,
        (select json_agg("Code") from "AbpOrganizationUnits") as units,
        (select json_agg("ClientId" order by "ClientId") from "OpenIddictApplications") as clients,
        (select json_agg("Name") from "OpenIddictScopes") as scopes,
        (select json_agg("MigrationId" order by "MigrationId") from "__EFMigrationsHistory") as migrations`)),
  )

/** Starts a run and kills it at a random moment: after some of its steps, and then some. */
async function killOnce({ env }: TestDatabase): Promise<string> {
  const run = startMigrator(['--json'], env)
  const steps = Math.floor(Math.random() * 22)
  const moreMs = Math.random() < 0.3 ? 0 : Math.random() * 60
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (run.said().split('\n').length > steps) setTimeout(resolve, moreMs)
    }
    run.child.stdout?.on('data', look)
    run.child.once('close', () => resolve())
    look()
  })
  run.child.kill('SIGKILL')
  const { code } = await run.done
  return code === null ? `killed after ${run.said().split('\n').length - 1} steps` : `ended with ${code}`
}

test(
  `whatever moment it is killed at, the next run completes the same schema and the same seeds (${kills} kills)`,
  async () => {
    let left = kills
    let database: TestDatabase | undefined
    while (left > 0) {
      database = await makeDatabase('empty')
      databases.push(database)
      const ends: string[] = []
      for (let inARow = 1 + Math.floor(Math.random() * mostInARow); inARow > 0 && left > 0; inARow -= 1) {
        ends.push(await killOnce(database))
        left -= 1
      }
      const { code, stderr } = await migrate([], database.env)
      expect({ ends, code, stderr }).toEqual({ ends, code: 0, stderr: '' })
      expect({ ends, seeds: await seedsOf(database) }).toEqual({ ends, seeds: wantedSeeds })
      expect({ ends, schema: await schemaOf(database) }).toEqual({ ends, schema: wantedSchema })
      expect(ends.filter((end) => end.startsWith('ended') && end !== 'ended with 0')).toEqual([])
      await databases.pop()?.drop()
    }
  },
  60_000 + kills * 15_000,
)

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensurePostgres } from '@keel/embedded-postgres'
import { KeelModule, Module } from '@keel/framework'
import { PermissionGroup } from '@keel/framework/contracts'
import { createDatabase, Databases, dropDatabase, sql } from '@keel/framework/data'
import { HttpModule } from '@keel/framework/http'
import { Principals, SecurityModule } from '@keel/framework/security'
import { startTestHost } from '@keel/framework/testing'
import { IdentityModule } from '@keel/identity'
import { PermissionGrants, PermissionManagementModule } from '@keel/permission-management'

// Measures permission management with 2,000 permissions more: `node test/dist/bench/permissions.js` after a build.
const count = 2000
const root = fileURLToPath(new URL('../../../', import.meta.url))
const names = Array.from(
  { length: count },
  (_, index) => `Bench${Math.floor(index / 10)}.Action${index % 10}`,
)

@PermissionGroup('Bench')
class BenchPermissions {}
Object.assign(BenchPermissions, Object.fromEntries(names.map((name) => [name.replace('.', ''), name])))

@Module({
  dependsOn: [HttpModule, SecurityModule, IdentityModule, PermissionManagementModule],
  permissions: [BenchPermissions],
})
class BenchHost extends KeelModule {}

const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const template = 'bench_permissions'
await dropDatabase(server, template)
await createDatabase(server, template)
execFileSync(process.execPath, [`${root}migrator/dist/main.js`], {
  env: {
    KEEL_ENVIRONMENT: 'Development',
    ...process.env,
    ConnectionStrings__Default: server.urlOf(template),
  },
})
const host = await startTestHost(BenchHost, { server, templates: { Default: template } })
try {
  const grants = host.get(PermissionGrants)
  const role = { providerName: 'R', providerKey: 'InternalAdmin' } as const
  await grants.grant(names.map((permission) => ({ ...role, permission })))
  const database = host.get(Databases).named('Default')
  const [admin] = await database.query<{ id: string }>(
    sql`select "Id" as id from "AbpUsers" where "UserName" = 'admin'`,
  )
  const caller = await host.as({ subject: admin?.id ?? '' })
  const path = '/api/permission-management/permissions?providerName=R&providerKey=InternalAdmin'
  const list = async () => {
    const before = performance.now()
    const response = await caller.fetch(path)
    const bytes = (await response.arrayBuffer()).byteLength
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
    return { ms: performance.now() - before, bytes }
  }

  // Who asks and which roles there are is known before; what stands at the role is not.
  await caller.fetch(path.replace(role.providerKey, 'DefaultCustomer'))
  let statements = 0
  const query = database.query.bind(database)
  database.query = (statement) => {
    statements += 1
    return query(statement)
  }
  const cold = await list()
  const coldStatements = statements
  for (let run = 0; run < 50; run++) await list()
  const warm: number[] = []
  statements = 0
  const cpuBefore = process.cpuUsage()
  for (let run = 0; run < 500; run++) warm.push((await list()).ms)
  const warmStatements = statements / 500
  const { user, system } = process.cpuUsage(cpuBefore)
  warm.sort((a, b) => a - b)
  const at = (share: number) => warm[Math.floor(warm.length * share)] ?? 0
  print(`list of ${count} permissions of a role, ${Math.round(cold.bytes / 1024)} kB, one caller at a time`)
  print(`  cold ${ms(cold.ms)}, ${coldStatements} statement${coldStatements === 1 ? '' : 's'}`)
  print(
    `  warm ${ms(at(0.5))} p50, ${ms(at(0.99))} p99, ${warmStatements} statements, ${ms((user + system) / 500 / 1000)} of CPU time, the caller's included`,
  )

  const { permissions } = await host.get(Principals).of({ sub: admin?.id ?? '', exp: 0 })
  const checks = 20_000_000
  let held = 0
  const before = performance.now()
  for (let run = 0; run < checks; run++) if (permissions.has(names[run % count] as string)) held += 1
  print(
    `check in process: ${(((performance.now() - before) * 1e6) / checks).toFixed(1)} ns (${held === checks})`,
  )
} finally {
  await host.close()
  await dropDatabase(server, template)
  await server.stop('at-once')
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

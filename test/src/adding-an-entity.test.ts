import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { KeelModule, Module } from '@keel/framework'
import { Databases, modelSnapshot, sql } from '@keel/framework/data'
import { HttpModule } from '@keel/framework/http'
import { SecurityModule } from '@keel/framework/security'
import { HubModule } from '@keel/hub'
import { IdentityModule } from '@keel/identity'
import { migrationSql } from '@keel/migrator/migration-sql'
import { PermissionManagementModule } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from './app.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'docs/adding-an-entity.md'), 'utf8')
/** The page's files: a path in backquotes on a line of its own, then a block of TypeScript. */
const files = [...page.matchAll(/^`([\w./-]+\.ts)`\n\n```ts\n(.*?)```/gms)].map(
  ([, path = '', text = '']) => ({ path, text }),
)

let folder: string
let app: App
let manager: AppCaller
// biome-ignore lint/suspicious/noExplicitAny: the classes exist only on the page
let written: Record<string, any>

beforeAll(async () => {
  // Beside the tests, so that package names resolve from there.
  mkdirSync(join(root, 'test/.generated'), { recursive: true })
  folder = mkdtempSync(join(root, 'test/.generated/adding-an-entity-'))
  cpSync(join(root, 'modules/core/src'), join(folder, 'modules/core/src'), { recursive: true })
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const load = (path: string) =>
    import(/* @vite-ignore */ pathToFileURL(join(folder, 'modules/core/src', path)).href)
  written = {
    ...(await load('core.module.ts')),
    ...(await load('contracts/warehouses.ts')),
    ...(await load('domain/warehouse.ts')),
  }

  @Module({
    dependsOn: [
      HttpModule,
      SecurityModule,
      IdentityModule,
      PermissionManagementModule,
      HubModule,
      written.CoreModule,
    ],
  })
  class Host extends KeelModule {}
  app = await startApp(Host)
  const create = migrationSql({ tables: [] }, modelSnapshot([written.Warehouse]))
  await app.host.get(Databases).named('Default').execute({ text: create, values: [] })
  manager = await app.as({
    permissions: ['Warehouse.View', 'Warehouse.Create', 'Warehouse.Edit', 'Warehouse.Delete'],
  })
})
afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the page adds an entity with three new files and at most 80 lines', () => {
  const isNew = ({ path }: { path: string }) => !/core\.module\.ts$/.test(path)
  const before = new Set(readFileSync(join(root, 'modules/core/src/core.module.ts'), 'utf8').split('\n'))
  const lines = files.flatMap((file) =>
    file.text.split('\n').filter((line) => line && (isNew(file) || !before.has(line))),
  )
  expect(files.filter(isNew).map(({ path }) => path)).toHaveLength(3)
  expect(lines.length).toBeLessThanOrEqual(80)
})

test('the entity of the page is created, found, changed and deleted through its typed client', async () => {
  const warehouses = manager.service(written.WarehouseAppService) as unknown as Record<
    string,
    (...args: unknown[]) => Promise<Record<string, unknown>>
  >
  const call = (name: string, ...args: unknown[]) =>
    (warehouses[name] as (...args: unknown[]) => Promise<Record<string, unknown>>)(...args)
  const created = await call('create', { code: 'RTM1', name: 'Maasvlakte', isBonded: true })
  expect(created).toEqual({
    id: created.id,
    code: 'RTM1',
    name: 'Maasvlakte',
    capacityPallets: null,
    isBonded: true,
  })
  expect(
    await call('update', created.id, { code: 'RTM1', name: 'Maasvlakte 2', isBonded: false }),
  ).toMatchObject({ name: 'Maasvlakte 2' })
  expect(await call('getList', { filter: 'maas' })).toMatchObject({ totalCount: 1 })
  await call('delete', created.id)
  await expect(call('get', created.id)).rejects.toMatchObject({ status: 404 })
})

test('the entity of the page is guarded and validated', async () => {
  const nobody = await app.as({})
  expect((await nobody.fetch('/api/app/warehouse')).status).toBe(403)
  const answer = await manager.fetch('/api/app/warehouse', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"code":"x"}',
  })
  const { error } = (await answer.json()) as { error: { validationErrors: { members: string[] }[] } }
  expect(error.validationErrors.flatMap(({ members }) => members)).toEqual(['code', 'name', 'isBonded'])
})

test('the table of the page is soft-deleted', async () => {
  const [counted] = await app.host
    .get(Databases)
    .named('Default')
    .query<{ n: string }>(sql`select count(*) as n from "AppWarehouses" where "IsDeleted"`)
  expect(counted).toEqual({ n: '1' })
})

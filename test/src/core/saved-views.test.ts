import { mostSavedViews, SavedViewAppService, SavedViewErrors } from '@keel/core/contracts'
import { Databases, sql } from '@keel/framework/data'
import { OrganizationMemberAppService } from '@keel/hub/contracts'
import { CustomerAdmin, DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addMember, addOrganization } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

let app: App
let staff: AppCaller
let customer: AppCaller
let colleague: AppCaller
let stranger: AppCaller
let acme: string

beforeAll(async () => {
  app = await startApp()
  staff = await app.as({ roles: [OperationsManager] })
  customer = await app.as({ roles: [CustomerAdmin] })
  colleague = await app.as({ roles: [DefaultCustomer] })
  stranger = await app.as({ roles: [DefaultCustomer] })
  acme = await addOrganization(app, 'ACME')
  await addMember(app, customer.userId, acme)
  await addMember(app, colleague.userId, acme)
})
afterAll(() => app?.close())

const views = (who: AppCaller) => who.service(SavedViewAppService)
const namesSeenBy = async (who: AppCaller, entitySet: string) => {
  const { items } = await views(who).getList({ entitySet })
  const { body } = await send(
    who,
    'GET',
    `/odata/SavedViews?$filter=EntitySet eq '${entitySet}'&$orderby=Name`,
  )
  const names = items.map(({ name }) => name)
  expect(body.value.map(({ Name }: { Name: string }) => Name)).toEqual(names)
  return names
}

test('a view keeps filter, columns and order of a list, and nobody else sees it', async () => {
  const late = {
    entitySet: 'Shipments',
    name: 'Late',
    filter: { status: [4, 5], text: 'Rotterdam' },
    query: 'Status eq 4',
    columns: ['shipmentReference', 'status'],
    sorting: 'shipmentReference desc',
  }
  const made = await views(customer).create(late)
  expect(await views(customer).get(made.id)).toMatchObject({
    ...late,
    userId: customer.userId,
    isDefault: false,
    sharedRoleName: null,
    sharedOrganizationId: null,
  })
  expect(await namesSeenBy(customer, 'Shipments')).toEqual(['Late'])
  for (const other of [colleague, stranger, staff]) {
    expect(await namesSeenBy(other, 'Shipments')).toEqual([])
    await expect(views(other).get(made.id)).rejects.toMatchObject({ status: 404 })
    await expect(views(other).delete(made.id)).rejects.toMatchObject({ status: 404 })
  }
})

test('two views of one list have different names, also when they are saved at once; another list is free', async () => {
  const save = (entitySet: string) => views(customer).create({ entitySet, name: 'Mine' })
  const outcomes = await Promise.allSettled([save('Ports'), save('Ports'), save('Orders')])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  await expect(save('Ports')).rejects.toMatchObject({ code: SavedViewErrors.NameAlreadyExists })
})

test('a list has one default for each person, whoever sets it at once', async () => {
  const save = (name: string) => views(colleague).create({ entitySet: 'Documents', name, isDefault: true })
  const made = await Promise.all(['A', 'B', 'C'].map(save))
  const defaults = async () =>
    (await views(colleague).getList({ entitySet: 'Documents' })).items
      .filter(({ isDefault }) => isDefault)
      .map(({ name }) => name)
  expect(await defaults()).toHaveLength(1)
  await views(colleague).setDefault(made[1]?.id as string)
  expect(await defaults()).toEqual(['B'])
  await views(colleague).update(made[2]?.id as string, { isDefault: true })
  expect(await defaults()).toEqual(['C'])
  await views(stranger).create({ entitySet: 'Documents', name: 'A', isDefault: true })
  expect(await defaults()).toEqual(['C'])
})

test('a view shared with an organization is read by its members, and changed by its owner alone', async () => {
  const { id } = await views(customer).create({ entitySet: 'Organizations', name: 'Ours' })
  await views(customer).share(id, { organizationId: acme })
  expect(await namesSeenBy(colleague, 'Organizations')).toEqual(['Ours'])
  expect(await namesSeenBy(stranger, 'Organizations')).toEqual([])
  const refused = { status: 403, code: SavedViewErrors.NotOwner }
  await expect(views(colleague).update(id, { name: 'Theirs' })).rejects.toMatchObject(refused)
  await expect(views(colleague).delete(id)).rejects.toMatchObject(refused)
  await expect(views(colleague).setDefault(id)).rejects.toMatchObject(refused)
  await views(customer).share(id, {})
  expect(await namesSeenBy(colleague, 'Organizations')).toEqual([])
})

test('a membership that ends takes the shared views with it', async () => {
  const { id } = await views(customer).create({ entitySet: 'CodeEntities', name: 'Ours' })
  await views(customer).share(id, { organizationId: acme })
  const leaver = await app.as({ roles: [DefaultCustomer] })
  const past = new Date(Date.now() - 1000).toISOString()
  await addMember(app, leaver.userId, acme, { ValidUntil: past })
  expect(await namesSeenBy(leaver, 'CodeEntities')).toEqual([])
})

test('who has left an organization writes to its members by no view that was shared before', async () => {
  const leaver = await app.as({ roles: [CustomerAdmin] })
  await addMember(app, leaver.userId, acme)
  const { id } = await views(leaver).create({ entitySet: 'Carriers', name: 'Ours' })
  await views(leaver).share(id, { organizationId: acme })
  await views(leaver).update(id, { name: 'Still ours' })
  expect(await namesSeenBy(colleague, 'Carriers')).toEqual(['Still ours'])
  const members = staff.service(OrganizationMemberAppService)
  const { items } = await members.getList({ userId: leaver.userId })
  for (const { id: membership } of items) await members.delete(membership)
  expect(await views(leaver).update(id, { name: 'Read this' })).toMatchObject({ sharedOrganizationId: null })
  expect(await namesSeenBy(leaver, 'Carriers')).toEqual(['Read this'])
  expect(await namesSeenBy(colleague, 'Carriers')).toEqual([])
})

test('customers share with organizations that they see, and with no role; staff share with roles that exist', async () => {
  const elsewhere = await addOrganization(app, 'ELSEWHERE')
  const { id } = await views(customer).create({ entitySet: 'Orders', name: 'To share' })
  await expect(views(customer).share(id, { organizationId: elsewhere })).rejects.toMatchObject({
    status: 404,
  })
  await expect(views(customer).share(id, { roleName: DefaultCustomer.name })).rejects.toMatchObject({
    status: 403,
  })
  const own = await views(colleague).create({ entitySet: 'Orders', name: 'Alone' })
  await expect(views(colleague).share(own.id, { organizationId: acme })).rejects.toMatchObject({
    status: 403,
  })

  const official = await views(staff).create({ entitySet: 'Containers', name: 'Official' })
  await expect(views(staff).share(official.id, { roleName: 'Pirates' })).rejects.toMatchObject({
    status: 404,
  })
  await views(staff).share(official.id, { roleName: 'defaultcustomer' })
  expect(await views(stranger).get(official.id)).toMatchObject({ sharedRoleName: DefaultCustomer.name })
  expect(await views(stranger).getList({ entitySet: 'Containers', ownOnly: true })).toMatchObject({
    totalCount: 0,
  })
})

test('a person has at most a hundred views, and what is too large is refused', async () => {
  const collector = await app.as({ roles: [DefaultCustomer] })
  await views(collector).create({ entitySet: 'Ports', name: 'first' })
  await app.host
    .get(Databases)
    .named('Default')
    .execute(sql`
    insert into "AppSavedViews" ("Id", "ConcurrencyStamp", "CreationTime", "UserId", "Name", "EntitySet")
    select gen_random_uuid(), 'stamp', now(), ${collector.userId}, 'view ' || n, 'Ports' from generate_series(2, ${mostSavedViews}) n`)
  await expect(views(collector).create({ entitySet: 'Ports', name: 'more' })).rejects.toMatchObject({
    code: SavedViewErrors.TooMany,
  })
  const tooLarge = { entitySet: 'Ports', name: 'large', filter: { text: 'x'.repeat(20_000) } }
  expect(await send(customer, 'POST', '/api/app/saved-view', tooLarge)).toMatchObject({ status: 400 })
  const strange = { entitySet: "Ports'; drop table", name: 'strange' }
  expect(await send(customer, 'POST', '/api/app/saved-view', strange)).toMatchObject({ status: 400 })
})

test('a change with a stamp that is no longer the last one is refused', async () => {
  const made = await views(customer).create({ entitySet: 'Users', name: 'Stamped' })
  await views(customer).update(made.id, { name: 'Stamped again', concurrencyStamp: made.concurrencyStamp })
  await expect(
    views(customer).update(made.id, { sorting: 'name', concurrencyStamp: made.concurrencyStamp }),
  ).rejects.toMatchObject({ status: 409 })
})

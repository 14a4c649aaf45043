import { Databases, runSeeders, sql } from '@keel/framework/data'
import { HubModule } from '@keel/hub'
import { AddressRole } from '@keel/hub/contracts'
import { OperationsManager, PricingAnalyst, SuperUser } from '@keel/identity/contracts'
import { QuoteAppService } from '@keel/pricing/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments, hubOf, storedRow } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

let app: App
let staff: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100' })
  staff = await app.as({ roles: [OperationsManager, SuperUser] })
})
afterAll(() => app?.close())

const patience = { timeout: 30_000, interval: 50 }
const seed = () => runSeeders(app.host.application, { modules: [HubModule] })
const [hub, pricing] = [() => hubOf(app), () => app.host.get(Databases).named('Pricing')]

test('what stayed with an organization that was merged before Hub noted it follows with the seeds, once', async () => {
  const analyst = await app.as({ roles: [PricingAnalyst] })
  const [source, target, later] = [
    await addOrganization(app, 'PASTGOES'),
    await addOrganization(app, 'PASTSTAYS'),
    await addOrganization(app, 'PASTLATER'),
  ]
  const [shipmentId = ''] = await addShipments(app, [
    { parties: [{ role: AddressRole.Consignee, organizationId: source }] },
  ])
  const quote = await analyst.service(QuoteAppService).create({
    ...{ organizationId: source, transportModeCode: 'Sea', containerModeCode: 'LCL', currencyCode: 'EUR' },
    ...{ originUnLocode: 'CNSGH', destinationUnLocode: 'DEHAM' },
  })
  const owner = async () => (await analyst.service(QuoteAppService).get(quote.id)).organizationId
  const merge = (into: string, from: string) =>
    send(staff, 'POST', `/api/hub/organization/${into}/merge`, { sourceId: from })
  expect([(await merge(target, source)).status, (await merge(later, target)).status]).toEqual([200, 200])
  await expect.poll(owner, patience).toBe(later)
  const inLog = async () =>
    (
      await app.host
        .get(Databases)
        .named('Default')
        .query(sql`
        select from "AbpAuditLogActions" a join "AbpAuditLogs" l on l."Id" = a."AuditLogId" where a."MethodName" = 'merge'`)
    ).length
  await expect.poll(inLog, patience).toBe(2)

  // As it was before: nobody had noted the merges, Pricing had not followed, and a party was given to the one that went in that moment.
  await hub().execute(
    sql`update "HubOrganizations" set "MergedIntoId" = null where "Id" in (${source}, ${target})`,
  )
  await hub().execute(
    sql`alter table "HubShipmentAddresses" disable trigger "KEEP_HubShipmentAddresses_Organization"`,
  )
  await hub().execute(
    sql`update "HubShipmentAddresses" set "OrganizationId" = ${source} where "ShipmentId" = ${shipmentId}`,
  )
  await hub().execute(
    sql`alter table "HubShipmentAddresses" enable trigger "KEEP_HubShipmentAddresses_Organization"`,
  )
  await hub().execute(
    sql`update "HubShipments" set "VisibleOrganizationIds" = array[${source}::uuid] where "Id" = ${shipmentId}`,
  )
  await pricing().execute(sql`delete from "PricingFollowedOrganizations"`)
  await pricing().execute(
    sql`update "PricingQuotes" set "OrganizationId" = ${source} where "Id" = ${quote.id}`,
  )

  await seed()
  expect((await storedRow(app, 'HubShipments', shipmentId)).VisibleOrganizationIds).toEqual([later])
  const [party] = await hub().query(
    sql`select "OrganizationId" as id from "HubShipmentAddresses" where "ShipmentId" = ${shipmentId}`,
  )
  expect(party).toEqual({ id: later })
  await expect.poll(owner, patience).toBe(later)

  const stamps = () =>
    hub().query(
      sql`select "LastModificationTime" as time, "MergedIntoId" as id from "HubOrganizations" order by "Id"`,
    )
  const before = await stamps()
  await seed()
  expect(await stamps()).toEqual(before)
})

test('an organization that is restored is not merged any more', async () => {
  const [source, target] = [await addOrganization(app, 'BACKAGAIN'), await addOrganization(app, 'HADIT')]
  await send(staff, 'POST', `/api/hub/organization/${target}/merge`, { sourceId: source })
  expect((await storedRow(app, 'HubOrganizations', source)).MergedIntoId).toBe(target)
  expect((await send(staff, 'POST', `/api/hub/organization/${source}/restore`, {})).status).toBe(200)
  expect((await storedRow(app, 'HubOrganizations', source)).MergedIntoId).toBeNull()
})

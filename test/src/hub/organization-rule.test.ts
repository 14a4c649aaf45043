import { ApiHost } from '@keel/api-host'
import { Configuration, createApplication, Injectable, KeelModule, Module } from '@keel/framework'
import { PermissionGroup } from '@keel/framework/contracts'
import {
  BaseEntity,
  Column,
  DataType,
  Entity,
  entitySet,
  OptionalColumn,
  Seeder,
  sequentialGuid,
  sql,
} from '@keel/framework/data'
import { HttpModule } from '@keel/framework/http'
import { ODataModule } from '@keel/framework/odata'
import { SecurityModule } from '@keel/framework/security'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { OrganizationMemberAppService } from '@keel/hub/contracts'
import { HubOrganizationsModule, ofOrganizations } from '@keel/hub/organizations'
import { IdentityModule } from '@keel/identity'
import { hostOf } from '@keel/migrator/schema'
import { PermissionManagementModule } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addRows, hubOf } from '../support/hub-rows.js'
import { templates, testServer } from '../support/test-databases.js'
import { send } from '../support/wire.js'

@PermissionGroup('Fleet')
class FleetPermissions {
  static readonly View = 'Vehicle.View'
}

@Entity('FleetVehicles', { rules: [ofOrganizations('OwnerId')] })
class Vehicle extends BaseEntity {
  @Column(DataType.STRING(10)) declare plate: string
  @OptionalColumn(DataType.UUID) declare ownerId: string | null
}

/** Asks for a contract of Hub, and does not call it. */
@Injectable()
class FleetSeeder extends Seeder {
  constructor(readonly members: OrganizationMemberAppService) {
    super()
  }
  async seed(): Promise<void> {}
}

/** A module of another team: its rows belong to organizations, which Hub knows. */
@Module({
  name: 'Fleet',
  dependsOn: [HubOrganizationsModule],
  database: 'Hub',
  entities: [Vehicle],
  permissions: [FleetPermissions],
  odata: [entitySet('Vehicles', Vehicle, FleetPermissions.View, { also: ['plate', 'ownerId'] })],
  seeds: [FleetSeeder],
})
class FleetModule extends KeelModule {}

@Module({ dependsOn: [ApiHost, FleetModule] })
class HostWithHub extends KeelModule {}

@Module({
  dependsOn: [
    HttpModule,
    ODataModule,
    SecurityModule,
    IdentityModule,
    PermissionManagementModule,
    FleetModule,
  ],
  remotes: [OrganizationMemberAppService],
})
class HostWithoutHub extends KeelModule {}

let app: App
let apart: TestHost

beforeAll(async () => {
  app = await startApp(HostWithHub)
  await hubOf(app).execute(
    sql`create table "FleetVehicles" ("Id" uuid primary key, "Plate" varchar(10) not null, "OwnerId" uuid)`,
  )
  const acme = await addOrganization(app, 'ACME')
  const below = await addOrganization(app, 'BELOW', { HierarchyPath: '/ACME/BELOW/' })
  const other = await addOrganization(app, 'OTHER')
  const rows = [
    ['A-1', acme],
    ['B-1', below],
    ['O-1', other],
    ['N-1', null],
  ]
  await addRows(
    hubOf(app),
    'FleetVehicles',
    rows.map(([Plate, OwnerId]) => ({ Id: sequentialGuid(), Plate, OwnerId })),
  )
  apart = await startTestHost(HostWithoutHub, {
    server: testServer,
    templates,
    beside: app.host,
    settings: { 'RemoteServices:Hub:BaseUrl': app.host.url },
  })
})
afterAll(async () => {
  await apart?.close()
  await app?.close()
})

async function plates(caller: AppCaller, host: TestHost): Promise<string> {
  const path = '/odata/Vehicles?$orderby=Plate&$count=true'
  const fetch: typeof host.fetch = (path, init = {}) =>
    host.fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${caller.token}` } })
  const { status, body } = await send({ fetch }, 'GET', path)
  return `${status} ${body['@odata.count']}: ${body.value?.map(({ Plate }: { Plate: string }) => Plate).join()}`
}

test('rows of a module beside Hub are seen by members of their organization, by staff all, with Hub in the host or elsewhere', async () => {
  const permissions = [FleetPermissions.View]
  const customer = await app.as({ permissions, organizations: ['ACME'] })
  const nobody = await app.as({ permissions })
  const staff = await app.as({ permissions: [...permissions, 'Organization.AccessAll'] })
  for (const host of [app.host, apart])
    expect([await plates(customer, host), await plates(nobody, host), await plates(staff, host)]).toEqual([
      '200 2: A-1,B-1',
      '200 0: ',
      '200 4: A-1,B-1,N-1,O-1',
    ])
})

test('the host of schemas starts such a module without Hub, and names what a seeder cannot call', async () => {
  const configuration = new Configuration('Development').add(
    { ConnectionStrings: { Default: 'Host=localhost;Database=none', Hub: 'Host=localhost;Database=none' } },
    'test',
  )
  const application = createApplication(hostOf({ fleet: FleetModule }), configuration)
  await application.compose()
  const { members } = application.get(FleetSeeder)
  await expect((async () => members.getMyAccess())()).rejects.toThrow(
    'A seeder calls OrganizationMemberAppService.getMyAccess, and the module Hub that implements it is not started here',
  )
})

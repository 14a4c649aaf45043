import { ApiHost } from '@keel/api-host'
import { FeatureManagementPermissions } from '@keel/feature-management/contracts'
import { AutoApiController, Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import {
  AppService,
  crudPermissions,
  defineFeature,
  defineSetting,
  OnlyWithFeature,
  OnlyWithSetting,
  op,
  PermissionGroup,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { checkRequirements, RequiresPermission } from '@keel/framework/security'
import { Admin } from '@keel/identity/contracts'
import { StoredSettings } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Sender, send } from '../support/wire.js'
import { manager, PermissionsHost, permissionOf, put, read } from './host.js'

const Tracking = defineFeature('Fleet.Tracking', { default: true })
const Planning = defineSetting('Fleet.Planning', { default: false })

@PermissionGroup('Fleet')
@OnlyWithFeature(Tracking)
class TrackPermissions extends crudPermissions('Track') {}

@PermissionGroup('Fleet')
class FleetPermissions {
  @OnlyWithSetting(Planning) static readonly Plan = 'Fleet.Plan'
  static readonly View = 'Fleet.View'
}

abstract class TrackAppService extends AppService(remoteService('Fleet', 'fleet'), 'TrackAppService', {
  getWhere: op().returns(z.string()),
  getPlan: op().returns(z.string()),
}) {}

@AutoApiController(TrackAppService)
class TrackService implements TrackAppService {
  @RequiresPermission(TrackPermissions.View)
  async getWhere(): Promise<string> {
    return 'at sea'
  }
  @RequiresPermission(FleetPermissions.Plan)
  async getPlan(): Promise<string> {
    return 'to Rotterdam'
  }
}

@Module({
  dependsOn: [PermissionsHost],
  features: [Tracking],
  settings: [Planning],
  permissions: [TrackPermissions, FleetPermissions],
  services: [TrackService],
})
class FleetHost extends KeelModule {}

const where = '/api/fleet/track/where'
const plan = '/api/fleet/track/plan'
const features = '/api/feature-management/features?providerName=T'

let app: App
let admin: AppCaller
let driver: AppCaller

beforeAll(async () => {
  app = await startApp(FleetHost)
  admin = await app.as({
    permissions: [...manager, FeatureManagementPermissions.ManageHostFeatures],
    roles: [Admin],
  })
  driver = await app.as({ permissions: [TrackPermissions.View, FleetPermissions.Plan] })
})
afterAll(() => app?.close())

const setTracking = async (value: 'true' | 'false') =>
  expect(await send(admin, 'PUT', features, { features: [{ name: Tracking.name, value }] })).toMatchObject({
    status: 204,
  })

async function grantedPolicies(who: Sender): Promise<string[]> {
  const { body } = await send(who, 'GET', '/api/abp/application-configuration')
  return Object.keys(body.auth.grantedPolicies).filter((name) => /^(Track|Fleet)\./.test(name))
}

test('while its feature is off a permission is granted to nobody, its operations answer 403 as without it, and no dialog lists it', async () => {
  expect(await send(driver, 'GET', where)).toMatchObject({ status: 200, body: 'at sea' })
  expect(await grantedPolicies(driver)).toEqual([TrackPermissions.View])
  expect(permissionOf(await read(admin, 'U', driver.userId), TrackPermissions.View)).toMatchObject({
    isGranted: true,
  })

  await setTracking('false')
  expect(await send(driver, 'GET', where)).toMatchObject({
    status: 403,
    body: { error: { code: 'Volo.Authorization:010002', data: { PolicyName: TrackPermissions.View } } },
  })
  expect(await grantedPolicies(driver)).toEqual([])
  const dialog = await read(admin, 'U', driver.userId)
  expect(permissionOf(dialog, TrackPermissions.View)).toBeUndefined()
  expect(permissionOf(dialog, FleetPermissions.View)).toMatchObject({ isGranted: false })

  await setTracking('true')
  expect(await send(driver, 'GET', where)).toMatchObject({ status: 200 })
})

test('a change of grants passes over a permission whose feature is off, so that its grants are there when the feature is on again', async () => {
  await setTracking('false')
  expect(
    await put(admin, 'U', driver.userId, { [TrackPermissions.View]: false, [TrackPermissions.Edit]: true }),
  ).toMatchObject({ status: 204 })
  await setTracking('true')
  const dialog = await read(admin, 'U', driver.userId)
  expect(permissionOf(dialog, TrackPermissions.View)).toMatchObject({ isGranted: true })
  expect(permissionOf(dialog, TrackPermissions.Edit)).toMatchObject({ isGranted: false })
})

test('a permission that requires a setting counts while the setting is true', async () => {
  expect(await send(driver, 'GET', plan)).toMatchObject({ status: 403 })
  await app.host.get(StoredSettings).setForEverybody({ [Planning.name]: true })
  expect(await send(driver, 'GET', plan)).toMatchObject({ status: 200, body: 'to Rotterdam' })
  await app.host.get(StoredSettings).setForEverybody({ [Planning.name]: null })
  expect(await send(driver, 'GET', plan)).toMatchObject({ status: 403 })
})

test('a permission that requires a feature which no module lists stops the start', () => {
  @Module({ dependsOn: [ApiHost], permissions: [TrackPermissions] })
  class ForgetfulHost extends KeelModule {}
  const application = createApplication(ForgetfulHost, new Configuration())
  expect(() => checkRequirements(application)).toThrow(
    'The permission Track.View requires the feature Fleet.Tracking, which no module of this host lists in features',
  )
})

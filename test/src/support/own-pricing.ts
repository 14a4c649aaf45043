import { ApiHost } from '@keel/api-host'
import { BackgroundWorkModule } from '@keel/background-work'
import { FeatureManagementModule } from '@keel/feature-management'
import { KeelModule, Module, type ModuleOptions, moduleListingOf } from '@keel/framework'
import { permissionsIn, servicesIn } from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { ODataModule } from '@keel/framework/odata'
import { SecurityModule } from '@keel/framework/security'
import { type ManualClock, startTestHost, type TestHost } from '@keel/framework/testing'
import * as hub from '@keel/hub/contracts'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import { PricingModule } from '@keel/pricing'
import * as pricing from '@keel/pricing/contracts'
import { comparedWithDocument } from './documented-traffic.js'
import { reachedAt } from './reached-at.js'
import { startProxy } from './round-robin-proxy.js'
import { templates, testServer } from './test-databases.js'

/** Whether Pricing runs on a host of its own beside the API host. */
export const isPricingAlone = process.env.KEEL_TEST_REMOTE === 'pricing'

/** What the API host keeps of Pricing: its rights to be granted, and the database that its events are sent to. */
@Module({
  name: 'PricingElsewhere',
  database: 'Pricing',
  permissions: permissionsIn(pricing),
  features: Object.values(pricing.PricingFeatures),
})
class PricingElsewhere extends KeelModule {}

/** The API host without Pricing. */
@Module({
  ...apiOptions(),
  dependsOn: [...(apiOptions().dependsOn ?? []).filter((one) => one !== PricingModule), PricingElsewhere],
})
export class ApiWithoutPricing extends KeelModule {}

/** What Pricing's host knows of Hub: the rights that its answers ask for, and the database that events for it are sent to. */
@Module({
  name: 'HubElsewhere',
  database: 'Hub',
  permissions: permissionsIn(hub),
  features: Object.values(hub.HubFeatures),
})
class HubElsewhere extends KeelModule {}

/** The host that Pricing runs on. */
@Module({
  dependsOn: [
    HttpModule,
    ODataModule,
    SecurityModule,
    BackgroundWorkModule,
    IdentityModule,
    PermissionManagementModule,
    FeatureManagementModule,
    HubElsewhere,
    PricingModule,
  ],
  remotes: servicesIn(hub),
})
class PricingHost extends KeelModule {}

function apiOptions(): ModuleOptions {
  return moduleListingOf(ApiHost) as ModuleOptions
}

/** Starts Pricing's host beside an API host without Pricing. Callers reach both at one address, as behind a reverse proxy. */
export async function besidePricing(
  api: TestHost,
  settings: Readonly<Record<string, string>>,
  clock?: ManualClock,
): Promise<TestHost> {
  const own = { ...settings, 'RemoteServices:Hub:BaseUrl': api.url }
  const alone = comparedWithDocument(
    await startTestHost(PricingHost, {
      server: testServer,
      templates,
      beside: api,
      ...(clock && { clock }),
      settings: own,
    }),
    { root: PricingHost, settings: own },
  )
  const proxy = await startProxy((path) => (isOfPricing(path) ? alone.url : api.url))
  return reachedAt(api, proxy.url, async () => {
    await proxy.close()
    await alone.close()
    await api.close()
  })
}

const setsOfPricing = new Set(moduleListingOf(PricingModule)?.odata?.map(({ name }) => name.toLowerCase()))

/** Whether a path is a route of Pricing or one of its entity sets. */
function isOfPricing(path: string): boolean {
  const [, set] = /^\/odata\/(\w+)/i.exec(path) ?? []
  return /^\/api\/pricing\//i.test(path) || setsOfPricing.has(set?.toLowerCase() ?? '')
}

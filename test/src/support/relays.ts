import { ApiKeysModule } from '@keel/api-keys'
import { AutoApiController, type Constructor, KeelModule, Module } from '@keel/framework'
import { type AnyAppService, permissionsIn, servicesIn } from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { AllowAnonymous, SecurityModule } from '@keel/framework/security'
import { type ManualClock, startTestHost, type TestHost } from '@keel/framework/testing'
import * as hubContracts from '@keel/hub/contracts'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import * as pricingContracts from '@keel/pricing/contracts'
import { reachedAt } from './reached-at.js'
import { startProxy } from './round-robin-proxy.js'
import { templates, testServer } from './test-databases.js'

/** Whether callers of Hub and Pricing reach a host that has neither, and calls both on another one. */
export const isRemote = process.env.KEEL_TEST_REMOTE === '1'

const relayed = [hubContracts, pricingContracts].flatMap(servicesIn).map(relayOf)

/** Serves the routes of Hub and Pricing by calling the modules elsewhere, as any module that injects their contracts does. */
@Module({
  dependsOn: [HttpModule, SecurityModule, IdentityModule, PermissionManagementModule, ApiKeysModule],
  services: relayed.map(({ relay }) => relay),
  remotes: relayed.map(({ remote }) => remote),
  // Members of answers ask for some of them.
  permissions: [hubContracts, pricingContracts].flatMap(permissionsIn),
  features: [hubContracts.HubFeatures, pricingContracts.PricingFeatures].flatMap((features) =>
    Object.values(features),
  ),
})
class RelayHost extends KeelModule {}

/**
 * The service that passes each operation of a contract on, and the token by which it is given the client: a contract of the same content, because
 * the relay itself is what the contract means in its host.
 */
function relayOf(contract: AnyAppService): { relay: Constructor; remote: AnyAppService } {
  abstract class Remote extends contract {}
  class Relay {
    constructor(readonly remote: Record<string, (...args: unknown[]) => Promise<unknown>>) {}
  }
  Reflect.defineMetadata('design:paramtypes', [Remote], Relay)
  for (const name of contract.contract.operations.keys())
    Object.defineProperty(Relay.prototype, name, {
      value(this: Relay, ...args: unknown[]) {
        return this.remote[name]?.(...args)
      },
    })
  // The host of the module decides who may call.
  AllowAnonymous()(Relay)
  const serves = AutoApiController as (contract: AnyAppService) => (service: Constructor) => void
  serves(contract)(Relay as Constructor)
  return { relay: Relay as Constructor, remote: Remote }
}

/** A host whose routes of Hub and Pricing are those of a second host, which calls this one. Both share databases, users and tokens. */
export async function behindRelays(
  host: TestHost,
  settings: Readonly<Record<string, string>>,
  clock?: ManualClock,
): Promise<TestHost> {
  const relays = await startTestHost(RelayHost, {
    server: testServer,
    templates,
    beside: host,
    ...(clock && { clock }),
    settings: {
      ...settings,
      'RemoteServices:Default:BaseUrl': host.url,
      // To the relays every operation is one that everybody may call.
      'App:MaxAnonymousBodyBytes': String(1024 * 1024),
    },
  })
  const proxy = await startProxy((path) => (/^\/api\/(hub|pricing)\//i.test(path) ? relays.url : host.url))
  return reachedAt(host, proxy.url, async () => {
    await proxy.close()
    await relays.close()
    await host.close()
  })
}

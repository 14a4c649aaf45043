import { ApiKeysModule } from '@keel/api-keys'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { CoreModule } from '@keel/core'
import { KeelModule, Module } from '@keel/framework'
import { servicesIn } from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { SecurityModule } from '@keel/framework/security'
import { startTestHost } from '@keel/framework/testing'
import * as hub from '@keel/hub/contracts'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../support/app.js'
import { templates, testServer } from '../support/test-databases.js'
import { send } from '../support/wire.js'
import { newKey, withKey } from './keys.js'

/** A host that calls Hub elsewhere. */
@Module({
  dependsOn: [
    HttpModule,
    SecurityModule,
    IdentityModule,
    PermissionManagementModule,
    ApiKeysModule,
    CoreModule,
  ],
  remotes: servicesIn(hub),
})
class CoreHost extends KeelModule {}

test('a call that is passed on to another host is made with the caller’s key, not with a token beside it', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  const core = await startTestHost(CoreHost, {
    server: testServer,
    templates,
    beside: app.host,
    settings: {
      'AuthServer:Authority': app.host.issuer.address,
      'RemoteServices:Hub:BaseUrl': app.host.url,
    },
  })
  onTestFinished(() => core.close())
  const owner = await app.as({ permissions: [hub.ShipmentPermissions.View, ApiKeyPermissions.Create] })
  const { key } = await newKey(owner)
  const other = await app.as({ permissions: [ApiKeyPermissions.Create] })
  const { key: weak } = await newKey(other)
  const statusWith = async (apiKey: string, token: string) => {
    const both = {
      fetch: (path: string, init: RequestInit = {}) =>
        core.fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
    }
    return (await send(withKey(both, apiKey), 'GET', '/api/app/shipment')).status
  }
  expect([await statusWith(key, other.token), await statusWith(weak, owner.token)]).toEqual([200, 403])
})

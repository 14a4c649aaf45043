import { KeelModule, Module, runHost } from '@keel/framework'
import { HttpModule } from '@keel/framework/http'
import { IdentityModule } from '@keel/identity'
import { OpenIdServerModule } from '@keel/openid/server'
import { StoredSettingsModule } from '@keel/setting-management'

@Module({ dependsOn: [HttpModule, IdentityModule, StoredSettingsModule, OpenIdServerModule] })
class AuthHost extends KeelModule {}

await runHost(AuthHost, import.meta.url)

import { KeelModule, Module, runHost } from '@keel/framework'
import { HttpModule } from '@keel/framework/http'
import { IdentityModule } from '@keel/identity'
import { OpenIdServerModule } from '@keel/openid/server'

@Module({ dependsOn: [HttpModule, IdentityModule, OpenIdServerModule] })
class AuthHost extends KeelModule {}

await runHost(AuthHost, import.meta.url)

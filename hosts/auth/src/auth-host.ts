import { KeelModule, Module } from '@keel/framework'
import { HttpModule } from '@keel/framework/http'
import { IdentityModule } from '@keel/identity'
import { OpenIdServerModule } from '@keel/openid/server'

/** The auth server: OpenID Connect and the pages where people sign in. */
@Module({ dependsOn: [HttpModule, IdentityModule, OpenIdServerModule] })
export class AuthHost extends KeelModule {}

import { AccountModule } from '@keel/account'
import * as account from '@keel/account/contracts'
import { KeelModule, Module } from '@keel/framework'
import { servicesIn } from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { JobWorkerModule } from '@keel/framework/jobs'
import { MailQueueModule } from '@keel/framework/mail'
import { IdentityModule } from '@keel/identity'
import { OpenIdServerModule } from '@keel/openid/server'
import { StoredGrantsModule } from '@keel/permission-management'
import { StoredSettingsModule } from '@keel/setting-management'

/** The auth server: OpenID Connect and the pages where people sign in. */
@Module({
  dependsOn: [
    HttpModule,
    JobWorkerModule,
    MailQueueModule,
    IdentityModule,
    AccountModule,
    StoredSettingsModule,
    StoredGrantsModule,
    OpenIdServerModule,
  ],
  // The API host serves them; here they are behind the pages.
  unserved: servicesIn(account),
})
export class AuthHost extends KeelModule {}

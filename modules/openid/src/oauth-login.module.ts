import { KeelModule, Module } from '@keel/framework'
import { OutwardSettings } from '@keel/framework/security'
import { KnownProviders } from './application/known-providers.js'
import { OAuthPasswordAuthority } from './application/oauth-password-authority.js'

/**
 * Lets passwords of external users be checked by another server, in every host that takes passwords. Off
 * until administrators switch it on.
 */
@Module({
  name: 'OAuthLogin',
  services: [KnownProviders, OAuthPasswordAuthority],
  configuration: [OutwardSettings],
})
export class OAuthLoginModule extends KeelModule {}

import { AppService, Dto, listOf, op, z } from '@keel/framework/contracts'
import { Identity } from './identity.js'
import { IdentityUserDto } from './identity-users.js'

const path = '/api/identity/users'

/** A server that keeps passwords of external users. */
export class ExternalLoginProviderDto extends Dto({
  name: z.string(),
  /** True when the provider returns user data without a password. None of the present ones does. */
  canObtainUserInfoWithoutPassword: z.boolean(),
}) {}

/** Somebody whose password is kept elsewhere, with the password there. */
export class ImportExternalUserInput extends Dto({
  /** A name of `getExternalLoginProviders`. */
  provider: z.string().min(1).max(64),
  userNameOrEmailAddress: z.string().trim().min(1).max(256),
  password: z.string().max(128).nullish(),
}) {}

/** Users whose password another server keeps, by ABP's routes. */
export abstract class IdentityExternalUserAppService extends AppService(
  Identity,
  'IdentityExternalUserAppService',
  {
    /** Those that are switched on. */
    getExternalLoginProviders: op()
      .returns(listOf(ExternalLoginProviderDto))
      .at('GET', `${path}/external-login-providers`),
    /**
     * Makes the user that somebody gets by signing in, or brings them up to date. Takes the permission to
     * create users as well, or to update them. Failures count as those of sign-ins.
     */
    importExternalUser: op(ImportExternalUserInput)
      .returns(IdentityUserDto)
      .at('POST', `${path}/import-external-user`),
  },
) {}

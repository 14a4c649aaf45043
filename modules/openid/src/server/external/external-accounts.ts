import {
  AccountModuleSettings,
  AddressLimits,
  type LoginOfProvider,
  PasswordVerifiedLogins,
} from '@keel/account/contracts'
import { Application, Injectable, newOwnFields, Settings } from '@keel/framework'
import { UnitOfWork } from '@keel/framework/data'
import {
  AccountSettings,
  normalizedName,
  type RequestOrigin,
  SignIn,
  type SignInResult,
  UserDirectory,
  UserLogins,
  type UserRecord,
  userOwnFields,
} from '@keel/identity/contracts'
import type { ExternalIdentity } from './external-scheme.js'

/** The accounts here of people with an external identity. */
@Injectable()
export class ExternalAccounts {
  constructor(
    private readonly users: UserDirectory,
    private readonly logins: UserLogins,
    private readonly signIn: SignIn,
    private readonly settings: Settings,
    private readonly addresses: AddressLimits,
    private readonly verified: PasswordVerifiedLogins,
    private readonly application: Application,
  ) {}

  /**
   * Signs somebody in whose account is known: linked before, or found by an address that the provider is to
   * be believed about and that was confirmed here too. Undefined when there is none, or it takes its password
   * to know.
   */
  async signInKnown(who: ExternalIdentity, origin?: RequestOrigin): Promise<SignInResult | undefined> {
    const userId = await this.logins.findUser(who.provider, who.key)
    if (userId)
      return (await this.mustVerify(userId, who)) ? undefined : this.signIn.checkExternal(userId, origin)
    const user = who.isEmailTrusted && who.email ? await this.users.findByEmail(who.email) : undefined
    // An unconfirmed address may have been entered by an attacker who waits for its owner to come.
    if (!user?.isEmailConfirmed || !user.isActive || (await this.isLinked(user, who))) return undefined
    if (await this.mustVerify(user.id, who)) return undefined
    await this.link(user.id, who)
    return this.signIn.checkExternal(user.id, origin)
  }

  /** True when an identity is linked with an account here. */
  async isKnown({ provider, key }: ExternalIdentity): Promise<boolean> {
    return (await this.logins.findUser(provider, key)) !== undefined
  }

  /**
   * As {@link link}, for a user who gave the password of the account: it is not asked for again. A link that
   * exists stays.
   */
  async linkVerified(userId: string, who: ExternalIdentity): Promise<void> {
    if (!(await this.isOf(userId, who))) await this.link(userId, who)
    await this.verified.add(userId, loginOf(who))
  }

  /** Links the identity with the account. `IdentityErrors.LoginAlreadyAssociated` for a linked one. */
  async link(userId: string, { provider, label, key }: ExternalIdentity): Promise<void> {
    await this.logins.add(userId, { loginProvider: provider, providerKey: key, providerDisplayName: label })
  }

  /** True when an identity is linked with this account. */
  async isOf(userId: string, { provider, key }: ExternalIdentity): Promise<boolean> {
    return (await this.logins.findUser(provider, key)) === userId
  }

  /** Ends that, under the rules of {@link UserLogins.remove}. */
  async unlink(userId: string, provider: string, key: string): Promise<void> {
    await this.logins.remove(userId, provider, key)
    await this.verified.remove(userId, { loginProvider: provider, providerKey: key })
  }

  /** True when people may register themselves. */
  async mayRegister(): Promise<boolean> {
    return this.settings.isOn(AccountSettings.IsSelfRegistrationEnabled)
  }

  /**
   * Makes an account without a password for the identity, under the rules of {@link UserDirectory.create},
   * and signs the person in.
   */
  async register(
    who: ExternalIdentity,
    {
      userName,
      email,
      extraProperties,
    }: { userName: string; email: string; extraProperties: Readonly<Record<string, unknown>> },
    origin?: RequestOrigin,
  ): Promise<SignInResult> {
    await this.addresses.spend('registration', origin?.ipAddress)
    // As the provider spells it: letters that are looked up alike may still be those of another mailbox.
    const own =
      who.email !== undefined && normalizedName(email) === normalizedName(who.email) ? who.email : undefined
    const isEmailConfirmed = who.isEmailTrusted && own !== undefined
    const user = await UnitOfWork.run(async () => {
      const made = await this.users.create({
        userName,
        email: own ?? email,
        isEmailConfirmed,
        isRegistering: true,
        extraProperties: newOwnFields(this.application.ownFields, userOwnFields, extraProperties),
        name: who.name?.slice(0, 64),
        surname: who.surname?.slice(0, 64),
      })
      await this.logins.add(made.id, {
        loginProvider: who.provider,
        providerKey: who.key,
        providerDisplayName: who.label,
      })
      return made
    })
    return this.signIn.checkExternal(user.id, origin)
  }

  /** True when the user has a password, can give it, and must give it first. */
  private async mustVerify(userId: string, who: ExternalIdentity): Promise<boolean> {
    if (!(await this.settings.isOn(AccountModuleSettings.VerifyPasswordDuringExternalLogin))) return false
    if (!(await this.settings.isOn(AccountSettings.EnableLocalLogin))) return false
    const user = await this.users.find(userId)
    if (!user || !(await this.signIn.takesPasswordOf(user))) return false
    return !(await this.verified.has(userId, loginOf(who)))
  }

  /** True when the user is linked with another identity at the same provider. */
  private async isLinked({ id }: UserRecord, { provider }: ExternalIdentity): Promise<boolean> {
    return (await this.logins.of(id)).some(({ loginProvider }) => loginProvider === provider)
  }
}

function loginOf({ provider, key }: ExternalIdentity): LoginOfProvider {
  return { loginProvider: provider, providerKey: key }
}

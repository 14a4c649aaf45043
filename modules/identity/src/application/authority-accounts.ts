import { Application, ambient, Clock, Injectable, Logger, ownFieldDefaults } from '@keel/framework'
import { BusinessError, isMailAddress, UnavailableError, ValidationError } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { Gate } from '@keel/framework/security'
import {
  type AuthorityPerson,
  PasswordAuthority,
  type RequestOrigin,
  SignInGuard,
  UserLogins,
  type UserRecord,
  userOwnFields,
} from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { type Credentials, isLocked, UserAccounts } from '../persistence/user-accounts.js'
import { Lockout } from './lockout.js'
import { UserDirectoryService } from './user-directory-service.js'

/**
 * Concurrent questions to the authority and waiting attempts: a slow one must not hold up local passwords.
 */
const questionsInFlight = 8
const maxWaiting = 100

/** How a password that is kept elsewhere was found. */
export type AuthorityVerdict =
  /** `credentials` are those of the external account that the name belongs to, if there is one. */
  | {
      readonly outcome: 'proven'
      readonly person: AuthorityPerson
      readonly credentials: Credentials | undefined
    }
  | { readonly outcome: 'wrong-credentials'; readonly userId: string | undefined }
  | { readonly outcome: 'locked-out'; readonly userId: string | undefined; readonly until: Date }

/**
 * External accounts: the {@link PasswordAuthority} keeps their passwords. A password of an account that is
 * kept here is never sent to the authority, and no account that is kept here becomes an external one.
 */
@Injectable()
export class AuthorityAccounts {
  private readonly authority: PasswordAuthority | undefined
  private readonly guard: SignInGuard | undefined
  private readonly gate = new Gate(questionsInFlight, maxWaiting, unavailable)

  constructor(
    private readonly accounts: UserAccounts,
    private readonly directory: UserDirectoryService,
    private readonly logins: UserLogins,
    private readonly lockout: Lockout,
    private readonly logger: Logger,
    private readonly clock: Clock,
    private readonly application: Application,
  ) {
    this.authority = application.find(PasswordAuthority)
    this.guard = application.find(SignInGuard)
  }

  /** The authority, while administrators have switched it on. */
  async enabled(): Promise<PasswordAuthority | undefined> {
    return (await this.authority?.isEnabled()) ? this.authority : undefined
  }

  /**
   * Asks the authority for a name that no account here has, or an external one. Failures are counted as those
   * of other sign-ins, and who is locked out here is not asked about there. Throws {@link UnavailableError}
   * when the authority does not answer.
   */
  async prove(
    authority: PasswordAuthority,
    { name, password, origin }: { name: string; password: string; origin?: RequestOrigin | undefined },
  ): Promise<AuthorityVerdict> {
    const attempt = { name, address: origin?.ipAddress ?? ambient().request?.ip }
    await this.guard?.admit(attempt)
    // Asked again and read inside, so that guesses sent at once see what the ones before them caused.
    return this.gate.pass(async () => {
      await this.guard?.admit(attempt)
      const credentials = await UnitOfWork.apart(() => this.accounts.credentialsOf(name))
      const userId = credentials?.id
      const until = await this.lockedUntil(name, credentials)
      if (until) {
        await this.guard?.failed(attempt)
        return { outcome: 'locked-out', userId, until }
      }
      const isElsewhere = !credentials || credentials.isExternal
      const answer = isElsewhere ? await authority.ask(name, password) : 'refused'
      if (answer === 'unavailable') throw unavailable()
      if (answer !== 'refused') return { outcome: 'proven', person: answer, credentials }
      await this.guard?.failed(attempt)
      const lockedNow = userId
        ? await this.lockout.countFailure(userId)
        : await this.guard?.failedForNobody(name)
      return lockedNow
        ? { outcome: 'locked-out', userId, until: lockedNow }
        : { outcome: 'wrong-credentials', userId }
    })
  }

  /** The external user that is linked with an account of the authority, regardless of the typed name. */
  async known({ name }: PasswordAuthority, person: AuthorityPerson): Promise<string | undefined> {
    return this.logins.findUser(name, person.key)
  }

  /**
   * The user who somebody at the authority is, made or brought up to date by what the authority says.
   * Undefined, with a line in the log, when there can be none: the name belongs to another person at the
   * authority by now, an account that is kept here has the name or the address, or the authority tells no
   * address.
   */
  async take(
    authority: PasswordAuthority,
    { person, credentials }: Pick<Extract<AuthorityVerdict, { outcome: 'proven' }>, 'person' | 'credentials'>,
    typedName: string,
  ): Promise<string | undefined> {
    const linked = await this.known(authority, person)
    const userId = credentials
      ? await this.linkedTo(authority, person, credentials, linked)
      : (linked ?? (await this.create(authority, person, typedName)))
    const user = userId === undefined ? undefined : await this.directory.find(userId)
    if (user?.isExternal) {
      await this.update(user, person)
      return user.id
    }
    if (user) this.refuse(authority, 'the account of this person is not external any more', user.id)
    return undefined
  }

  /** The account that has the typed name, when the person at the authority is the same as ever. */
  private async linkedTo(
    authority: PasswordAuthority,
    person: AuthorityPerson,
    { id }: Credentials,
    linked: string | undefined,
  ): Promise<string | undefined> {
    if (linked === id) return id
    const isAnother = (await this.logins.of(id)).some(({ loginProvider }) => loginProvider === authority.name)
    const user = await this.directory.find(id)
    const isSameAddress =
      person.email !== undefined && normalizedName(person.email) === normalizedName(user?.email ?? '')
    // A name at the authority may pass to another person, who must not get the account of the first one.
    if (linked || isAnother || !isSameAddress)
      return this.refuse(authority, 'the name belongs to another person at the authority', id)
    await this.link(authority, person, id)
    return id
  }

  private async create(
    authority: PasswordAuthority,
    person: AuthorityPerson,
    typedName: string,
  ): Promise<string | undefined> {
    const { email } = person
    if (email === undefined || !isMailAddress(email))
      return this.refuse(authority, 'the authority tells no e-mail address that can be used')
    try {
      return await UnitOfWork.run(async () => {
        const { id } = await this.directory.create({
          userName: person.userName ?? typedName,
          email,
          name: person.name ?? null,
          surname: person.surname ?? null,
          phoneNumber: person.phoneNumber ?? null,
          isEmailConfirmed: person.isEmailVerified,
          isPhoneNumberConfirmed: person.isPhoneNumberVerified,
          isExternal: true,
          isRegistering: true,
          extraProperties: ownFieldDefaults(this.application.ownFields, userOwnFields),
        })
        await this.link(authority, person, id)
        return id
      })
    } catch (error) {
      if (!(error instanceof BusinessError)) throw error
      // Another sign-in of the same person may have made the account a moment ago.
      const made = await this.known(authority, person)
      return made ?? this.refuse(authority, error.code ?? error.message)
    }
  }

  private async link({ name }: PasswordAuthority, { key }: AuthorityPerson, userId: string): Promise<void> {
    await this.logins.add(userId, { loginProvider: name, providerKey: key, providerDisplayName: name })
  }

  /** Takes over changes of the authority, except absent members and addresses that another user has here. */
  private async update(user: UserRecord, person: AuthorityPerson): Promise<void> {
    const { id } = user
    const { name = user.name, surname = user.surname, phoneNumber = user.phoneNumber, email } = person
    const isSame = name === user.name && surname === user.surname && phoneNumber === user.phoneNumber
    let now = isSame ? user : await this.directory.updateProfile(id, { name, surname, phoneNumber })
    if (phoneNumber && person.isPhoneNumberVerified && !now.isPhoneNumberConfirmed)
      await this.directory.setConfirmedPhoneNumber(id, phoneNumber)
    if (email === undefined) return
    if (normalizedName(email) !== normalizedName(now.email)) now = await this.changeEmail(now, email)
    if (person.isEmailVerified && !now.isEmailConfirmed) await this.directory.confirmEmail(id, email)
  }

  private async changeEmail(user: UserRecord, email: string): Promise<UserRecord> {
    try {
      return await this.directory.updateProfile(user.id, { email })
    } catch (error) {
      if (!(error instanceof BusinessError || error instanceof ValidationError)) throw error
      this.logger.warn(
        { err: error, userId: user.id },
        'an e-mail address of the authority is not taken over',
      )
      return user
    }
  }

  private async lockedUntil(name: string, credentials: Credentials | undefined): Promise<Date | undefined> {
    if (!credentials) return this.guard?.lockOutOfNobody(name)
    return isLocked(credentials, this.clock.now) ? credentials.lockoutEnd : undefined
  }

  private refuse({ name: provider }: PasswordAuthority, reason: string, userId?: string): undefined {
    this.logger.warn({ provider, reason, userId }, 'somebody at the authority can not have an account here')
    return undefined
  }
}

function unavailable(): UnavailableError {
  return new UnavailableError(
    'The server that keeps the password does not answer. Try again later.',
    undefined,
    { text: { key: 'PasswordAuthorityUnavailable' } },
  )
}

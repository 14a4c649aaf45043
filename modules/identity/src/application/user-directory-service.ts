import { Application, Clock, Provides, Settings } from '@keel/framework'
import {
  BusinessError,
  EntityNotFoundError,
  faultOf,
  isMailAddress,
  isSamePhoneNumber,
  ValidationError,
} from '@keel/framework/contracts'
import { expectStamp, type NewRow, sequentialGuid, UnitOfWork } from '@keel/framework/data'
import { hasAdministratorRole } from '@keel/framework/security'
import {
  AccountSettings,
  IdentityErrors,
  LockoutSettings,
  type NewUser,
  PasswordSettings,
  type ProfileChange,
  type SecurityAction,
  SecurityActions,
  SecurityEvents,
  UserDirectory,
  UserNotices,
  type UserRecord,
  UserSettings,
} from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { withExtraProperties } from '../domain/extra-properties.js'
import { recipientOf } from '../domain/notice-recipient.js'
import type { RuleFault } from '../domain/password-policy.js'
import { newSecurityStamp } from '../domain/security-stamp.js'
import { type User } from '../domain/user.js'
import { isUserName } from '../domain/user-name.js'
import { UserStore } from '../persistence/stores.js'
import { isGuid } from '../persistence/user-accounts.js'
import { UserRecords } from '../persistence/user-records.js'
import { PasswordService } from './password-service.js'
import { whenCommitted } from './when-committed.js'

const dayMs = 86_400_000

/** The identity module's {@link UserDirectory}. */
@Provides(UserDirectory)
export class UserDirectoryService implements UserDirectory {
  private readonly notices: UserNotices | undefined

  constructor(
    private readonly application: Application,
    private readonly users: UserStore,
    private readonly records: UserRecords,
    private readonly passwords: PasswordService,
    private readonly settings: Settings,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {
    this.notices = application.find(UserNotices)
  }

  async find(id: string): Promise<UserRecord | undefined> {
    return this.withPasswordAge(await this.records.byId(id))
  }

  async findByUserName(userName: string): Promise<UserRecord | undefined> {
    return this.withPasswordAge(await this.records.byUserName(userName))
  }

  async findByEmail(email: string): Promise<UserRecord | undefined> {
    return this.withPasswordAge(await this.records.byEmail(email))
  }

  /** @param rolesWithin answers the roles instead of `roleNames`, in the unit of work that adds the user */
  async create(
    user: NewUser,
    rolesWithin?: (userId: string) => Promise<readonly string[]>,
  ): Promise<UserRecord> {
    const { roleNames, password } = user
    demandAddress(user.email.trim())
    if (password !== undefined && (await this.passwords.faultsOf(password, user)).length)
      await this.check(user)
    // Before the first statement: no transaction is open while the hash is made.
    const passwordHash = password === undefined ? null : await this.passwords.hashNew(password, user)
    const id = sequentialGuid()
    await UnitOfWork.run(async () => {
      const given = rolesWithin ? await rolesWithin(id) : roleNames
      await this.refuseNames(user.userName, user.email)
      await this.users.insert(await this.newRow(id, user, passwordHash)).catch((error: unknown) => {
        throw named(error, user)
      })
      await this.addRoles(id, given ?? (await this.rolesOf(user)))
    })
    return this.get(id)
  }

  async check(
    user: Pick<NewUser, 'userName' | 'email' | 'name' | 'surname' | 'password'>,
    id?: string,
  ): Promise<void> {
    const { userName, email, password } = user
    this.refuse(
      password === undefined ? [] : await this.passwords.faultsOf(password, user),
      await this.nameFaults(userName, email, id),
    )
  }

  async updateProfile(id: string, change: ProfileChange): Promise<UserRecord> {
    await UnitOfWork.run(async () => {
      const row = await this.row(id)
      expectStamp(row, change)
      await this.change(row, change)
    })
    return this.get(id)
  }

  async confirmEmail(id: string, email: string): Promise<boolean> {
    const row = await this.row(id)
    const isSame = row.normalizedEmail === normalizedName(email.trim())
    if (isSame) await this.users.update(row, { emailConfirmed: true })
    return isSame
  }

  async setConfirmedPhoneNumber(id: string, phoneNumber: string): Promise<void> {
    const row = await this.row(id)
    const isNew = row.phoneNumber !== phoneNumber
    await this.users.update(row, {
      phoneNumber,
      phoneNumberConfirmed: true,
      ...(isNew && { securityStamp: newSecurityStamp() }),
    })
    if (isNew) await this.log(row, SecurityActions.ChangePhoneNumber)
  }

  async setTwoFactorEnabled(id: string, isEnabled: boolean): Promise<void> {
    const row = await this.row(id)
    if (row.twoFactorEnabled === isEnabled) return
    await this.users.update(row, { twoFactorEnabled: isEnabled, securityStamp: newSecurityStamp() })
    await this.log(row, isEnabled ? SecurityActions.TwoFactorEnabled : SecurityActions.TwoFactorDisabled)
  }

  async changeSecurityStamp(id: string): Promise<void> {
    await this.users.update(await this.row(id), { securityStamp: newSecurityStamp() })
  }

  /** Gives a user roles by name; refuses names that no role has. */
  async addRoles(userId: string, roleNames: readonly string[]): Promise<void> {
    const unknown = await this.records.unknownRoles(roleNames)
    if (unknown.length) {
      throw new ValidationError(
        unknown.map((role) => faultOf('roleNames', 'AbpIdentity:Validation:NoSuchRole', { role })),
      )
    }
    if (roleNames.length) await this.records.addRoles(userId, roleNames)
  }

  /** Changes a row that was loaded; `more` are columns that are no part of a profile. */
  async change(row: User, change: ProfileChange, more: NewRow<User> = {}): Promise<void> {
    const userName = change.userName?.trim() ?? row.userName
    const email = change.email?.trim() ?? row.email
    const before = recipientOf(row)
    const isOtherNumber =
      change.phoneNumber !== undefined && !isSamePhoneNumber(change.phoneNumber, row.phoneNumber)
    const phoneNumber = isOtherNumber ? change.phoneNumber || null : row.phoneNumber
    const actions = [
      userName !== row.userName && SecurityActions.ChangeUserName,
      normalizedName(email) !== row.normalizedEmail && SecurityActions.ChangeEmail,
      phoneNumber !== row.phoneNumber && SecurityActions.ChangePhoneNumber,
    ].filter((action) => action !== false)
    if (email !== row.email) demandAddress(email)
    await this.refuseForbidden(actions)
    if (userName !== row.userName || email !== row.email) await this.refuseNames(userName, email, row)
    const changes: NewRow<User> = {
      userName,
      normalizedUserName: normalizedName(userName),
      email,
      normalizedEmail: normalizedName(email),
      phoneNumber,
      ...(change.name !== undefined && { name: change.name || null }),
      ...(change.surname !== undefined && { surname: change.surname || null }),
      ...(change.extraProperties && {
        extraProperties: withExtraProperties(row.extraProperties, change.extraProperties),
      }),
      ...(actions.includes(SecurityActions.ChangeEmail) && { emailConfirmed: false }),
      ...(actions.includes(SecurityActions.ChangePhoneNumber) && { phoneNumberConfirmed: false }),
      ...(actions.length > 0 && { securityStamp: newSecurityStamp() }),
      ...more,
    }
    await this.users
      .update(row, { ...changes, entityVersion: row.entityVersion + 1 })
      .catch((error: unknown) => {
        throw named(error, { userName, email })
      })
    for (const action of actions) await this.log(row, action)
    if (actions.includes(SecurityActions.ChangeEmail))
      await whenCommitted(async () => this.notices?.emailChanged(before))
  }

  /**
   * The roles of people who register themselves: the default roles in `AccountSettings.RegistrationRoles`.
   */
  async registrationRoles(): Promise<string[]> {
    const names = await this.defaultRoles()
    const listed = (await this.settings.valueOf(AccountSettings.RegistrationRoles.name)) ?? ''
    const allowed = new Set(listed.split(',').map((name) => normalizedName(name.trim())))
    return names.filter((name) => allowed.has(normalizedName(name)))
  }

  private async defaultRoles(): Promise<string[]> {
    const names = await this.records.defaultRoles()
    return names.filter((name) => !hasAdministratorRole([name], this.application))
  }

  private rolesOf({ isRegistering }: NewUser): Promise<string[]> {
    return isRegistering ? this.registrationRoles() : this.defaultRoles()
  }

  private async row(id: string): Promise<User> {
    const row = isGuid(id) ? await this.users.find(id) : undefined
    if (!row) throw new EntityNotFoundError('User', id)
    return row
  }

  private async get(id: string): Promise<UserRecord> {
    const found = await this.find(id)
    if (!found) throw new EntityNotFoundError('User', id)
    return found
  }

  private async newRow(id: string, user: NewUser, passwordHash: string | null): Promise<NewRow<User>> {
    const userName = user.userName.trim()
    const email = user.email.trim()
    return {
      id,
      userName,
      normalizedUserName: normalizedName(userName),
      email,
      normalizedEmail: normalizedName(email),
      name: user.name || null,
      surname: user.surname || null,
      phoneNumber: user.phoneNumber || null,
      emailConfirmed: user.isEmailConfirmed ?? false,
      phoneNumberConfirmed: user.isPhoneNumberConfirmed ?? false,
      isActive: user.isActive ?? true,
      isExternal: user.isExternal ?? false,
      passwordHash,
      lastPasswordChangeTime: passwordHash ? this.clock.now : null,
      shouldChangePasswordOnNextLogin: user.shouldChangePasswordOnNextLogin ?? false,
      securityStamp: newSecurityStamp(),
      lockoutEnabled: user.isLockoutEnabled ?? (await this.settings.isOn(LockoutSettings.AllowedForNewUsers)),
      entityVersion: 0,
      extraProperties: JSON.stringify(user.extraProperties ?? {}),
    }
  }

  private async refuseNames(userName: string, email: string, row?: User): Promise<void> {
    this.refuse([], await this.nameFaults(userName, email, row?.id))
  }

  private async nameFaults(userName: string, email: string, id?: string): Promise<RuleFault[]> {
    const name = userName.trim()
    const address = email.trim()
    const taken = await this.records.taken(name, address, id)
    const rules: [isBroken: boolean, code: string, value: string][] = [
      [!isUserName(name), IdentityErrors.InvalidUserName, name],
      [taken.userName, IdentityErrors.DuplicateUserName, name],
      [taken.email, IdentityErrors.DuplicateEmail, address],
    ]
    return rules.filter(([isBroken]) => isBroken).map(([, code, value]) => ({ code, data: { 0: value } }))
  }

  /** One fault of a name is an error by itself, as ABP has it; several come together. */
  private refuse(ofPassword: readonly RuleFault[], ofNames: readonly RuleFault[]): void {
    const [first, ...others] = [...ofPassword, ...ofNames]
    if (!first) return
    if (others.length || ofPassword.length) throw this.passwords.refusal([first, ...others])
    throw new BusinessError(first.code, first.data)
  }

  private async refuseForbidden(actions: readonly SecurityAction[]): Promise<void> {
    if (
      actions.includes(SecurityActions.ChangeUserName) &&
      !(await this.settings.isOn(UserSettings.IsUserNameUpdateEnabled))
    )
      throw new BusinessError(IdentityErrors.UserNameChangeDisabled)
    if (
      actions.includes(SecurityActions.ChangeEmail) &&
      !(await this.settings.isOn(UserSettings.IsEmailUpdateEnabled))
    )
      throw new BusinessError(IdentityErrors.EmailChangeDisabled)
  }

  /** A password that is too old has to be changed like one that somebody else chose. */
  private async withPasswordAge(record: UserRecord | undefined): Promise<UserRecord | undefined> {
    if (!record?.lastPasswordChangeTime || record.shouldChangePasswordOnNextLogin) return record
    if (!(await this.settings.isOn(PasswordSettings.ForceUsersToPeriodicallyChangePassword))) return record
    const days = Number(await this.settings.valueOf(PasswordSettings.PasswordChangePeriodDays.name)) || 0
    const isOld = days > 0 && record.lastPasswordChangeTime.getTime() + days * dayMs < this.clock.nowMs
    return isOld ? { ...record, shouldChangePasswordOnNextLogin: true, isPasswordTooOld: true } : record
  }

  private async log({ id: userId, userName }: User, action: SecurityAction): Promise<void> {
    await whenCommitted(() => this.events.write({ action, userId, userName }))
  }
}

/** Checks an address that is to be stored. Users of other systems may have one that is refused here, which stays as it is. */
function demandAddress(email: string): void {
  if (!isMailAddress(email)) throw new ValidationError([faultOf('email', 'Validation:Email')])
}

/** A conflict with a user of this very moment, told like one with a user that was there before. */
function named(error: unknown, { userName, email }: { userName: string; email: string }): unknown {
  if (!(error instanceof BusinessError)) return error
  const value = error.code === IdentityErrors.DuplicateEmail ? email : userName
  return new BusinessError(error.code as string, { 0: value }, { cause: error })
}

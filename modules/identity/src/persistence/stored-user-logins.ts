import { Provides } from '@keel/framework'
import { BusinessError, EntityNotFoundError } from '@keel/framework/contracts'
import { type Database, Databases, sql, UnitOfWork, undeleted } from '@keel/framework/data'
import {
  type ExternalLogin,
  IdentityErrors,
  SecurityActions,
  SecurityEvents,
  UserLogins,
} from '../contracts/index.js'
import { User } from '../domain/user.js'
import { UserLogin } from '../domain/user-parts.js'

/** Keeps the accounts elsewhere of users in `AbpUserLogins`. */
@Provides(UserLogins)
export class StoredUserLogins implements UserLogins {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly events: SecurityEvents,
  ) {
    this.database = databases.of(UserLogin)
  }

  async of(userId: string): Promise<ExternalLogin[]> {
    return this.database.query<ExternalLogin & Record<string, unknown>>(sql`
      select "LoginProvider" as "loginProvider", "ProviderKey" as "providerKey", "ProviderDisplayName" as "providerDisplayName"
      from "AbpUserLogins" where "UserId" = ${userId} order by "LoginProvider"`)
  }

  async findUser(loginProvider: string, providerKey: string): Promise<string | undefined> {
    const [found] = await this.database.query<{ id: string }>(sql`
      select u."Id" as id from "AbpUserLogins" l join "AbpUsers" u on u."Id" = l."UserId"
      where l."LoginProvider" = ${loginProvider} and l."ProviderKey" = ${providerKey} and ${undeleted(User, 'u')}`)
    return found?.id
  }

  async add(
    userId: string,
    { loginProvider, providerKey, providerDisplayName }: ExternalLogin,
  ): Promise<void> {
    // The login of a deleted user can be used again.
    await this.database.execute(sql`
      delete from "AbpUserLogins" l using "AbpUsers" u
      where u."Id" = l."UserId" and u."IsDeleted" and l."LoginProvider" = ${loginProvider} and l."ProviderKey" = ${providerKey}`)
    const added = await this.database.execute(sql`
      insert into "AbpUserLogins" ("UserId", "LoginProvider", "ProviderKey", "ProviderDisplayName")
      values (${userId}, ${loginProvider}, ${providerKey}, ${providerDisplayName})
      on conflict do nothing`)
    if (added === 0) throw new BusinessError(IdentityErrors.LoginAlreadyAssociated)
    await this.tell(SecurityActions.AddExternalLogin, userId, loginProvider)
  }

  async remove(userId: string, loginProvider: string, providerKey: string): Promise<void> {
    await UnitOfWork.run(async () => {
      // Held, so that of two removals at once the second sees what the first left.
      const [user] = await this.database.query<{ hasPassword: boolean }>(
        sql`select "PasswordHash" is not null as "hasPassword" from "AbpUsers" where "Id" = ${userId} for update`,
      )
      const logins = await this.of(userId)
      const rest = logins.filter(
        (login) => login.loginProvider !== loginProvider || login.providerKey !== providerKey,
      )
      if (rest.length === logins.length)
        throw new EntityNotFoundError('UserLogin', `${loginProvider}/${providerKey}`)
      if (!user?.hasPassword && rest.length === 0) throw new BusinessError(IdentityErrors.LastLogin)
      await this.database.execute(sql`
        delete from "AbpUserLogins" where "UserId" = ${userId} and "LoginProvider" = ${loginProvider} and "ProviderKey" = ${providerKey}`)
    })
    await this.tell(SecurityActions.RemoveExternalLogin, userId, loginProvider)
  }

  async forgetProvider(loginProvider: string): Promise<void> {
    await this.database.execute(sql`delete from "AbpUserLogins" where "LoginProvider" = ${loginProvider}`)
  }

  /** Once it is true. */
  private async tell(
    action: 'AddExternalLogin' | 'RemoveExternalLogin',
    userId: string,
    loginProvider: string,
  ): Promise<void> {
    const [user] = await this.database.query<{ userName: string }>(
      sql`select "UserName" as "userName" from "AbpUsers" where "Id" = ${userId}`,
    )
    const extraProperties = { LoginProvider: loginProvider }
    const event = { action, identity: 'IdentityExternal', userId, userName: user?.userName, extraProperties }
    const unit = UnitOfWork.current
    if (unit) unit.onCommitted(() => this.events.write(event))
    else await this.events.write(event)
  }
}

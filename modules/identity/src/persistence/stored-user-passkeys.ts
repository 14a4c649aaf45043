import { Clock, Provides } from '@keel/framework'
import { BusinessError, EntityNotFoundError } from '@keel/framework/contracts'
import { type Database, Databases, sql, UnitOfWork, undeleted } from '@keel/framework/data'
import {
  IdentityErrors,
  type NewUserPasskey,
  type PasskeyKey,
  type PasskeyUse,
  SecurityActions,
  SecurityEvents,
  type UserPasskey,
  UserPasskeys,
} from '../contracts/index.js'
import { User } from '../domain/user.js'
import { UserPasskey as PasskeyRow } from '../domain/user-parts.js'

/**
 * Keeps passkeys in `AbpUserPasskeys`, as ASP.NET Core Identity 10 does: its members of `Data` have its
 * names, binary ones are base64. `LastUsedAt` is ours; .NET passes over it.
 */
@Provides(UserPasskeys)
export class StoredUserPasskeys implements UserPasskeys {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(PasskeyRow)
  }

  async of(userId: string): Promise<UserPasskey[]> {
    const rows = await this.database.query<StoredPasskey>(sql`
      select "CredentialId" as id, "Data" ->> 'Name' as name, ("Data" ->> 'CreatedAt')::timestamptz as "createdAt",
        ("Data" ->> 'LastUsedAt')::timestamptz as "lastUsedAt", "Data" -> 'Transports' as transports
      from "AbpUserPasskeys" where "UserId" = ${userId} and "Data" is not null order by 3, 1`)
    return rows.map(({ id, transports, ...row }) => ({
      ...row,
      credentialId: id.toString('base64url'),
      transports: transports ?? [],
    }))
  }

  async find(credentialId: string): Promise<PasskeyKey | undefined> {
    const [found] = await this.database.query<{ userId: string; key: string; isBackupEligible: boolean }>(sql`
      select p."UserId" as "userId", p."Data" ->> 'PublicKey' as key, coalesce((p."Data" ->> 'IsBackupEligible')::boolean, false) as "isBackupEligible"
      from "AbpUserPasskeys" p join "AbpUsers" u on u."Id" = p."UserId"
      where p."CredentialId" = ${idOf(credentialId)} and p."Data" ->> 'PublicKey' is not null and ${undeleted(User, 'u')}`)
    return found && { ...found, publicKey: Uint8Array.from(Buffer.from(found.key, 'base64')) }
  }

  async add(userId: string, passkey: NewUserPasskey): Promise<boolean> {
    const { credentialId, name, signCount, transports, isBackupEligible, isBackedUp } = passkey
    const data = {
      PublicKey: base64(passkey.publicKey),
      Name: name,
      CreatedAt: this.clock.now.toISOString(),
      SignCount: signCount,
      Transports: transports,
      IsUserVerified: true,
      IsBackupEligible: isBackupEligible,
      IsBackedUp: isBackedUp,
      AttestationObject: base64(passkey.attestationObject),
      ClientDataJson: base64(passkey.clientDataJson),
    }
    const added = await this.database.execute(sql`
      insert into "AbpUserPasskeys" ("CredentialId", "UserId", "Data")
      values (${idOf(credentialId)}, ${userId}, ${JSON.stringify(data)}::jsonb)
      on conflict do nothing`)
    if (added === 0) return false
    await this.tell(SecurityActions.AddPasskey, userId, name)
    return true
  }

  async rename(userId: string, credentialId: string, name: string): Promise<void> {
    const renamed = await this.database.execute(sql`
      update "AbpUserPasskeys" set "Data" = "Data" || jsonb_build_object('Name', ${name}::text)
      where "CredentialId" = ${idOf(credentialId)} and "UserId" = ${userId} and "Data" is not null`)
    if (renamed === 0) throw new EntityNotFoundError('UserPasskey', credentialId)
  }

  async remove(userId: string, credentialId: string): Promise<void> {
    const name = await UnitOfWork.run(async () => {
      // Held, so that of two removals at once the second sees what the first left. Passkeys do not sign
      // external users in, so theirs are never the last way.
      const [user] = await this.database.query<{ hasPassword: boolean; hasLogin: boolean }>(sql`
        select "PasswordHash" is not null or "IsExternal" as "hasPassword",
          exists (select 1 from "AbpUserLogins" l where l."UserId" = u."Id") as "hasLogin"
        from "AbpUsers" u where "Id" = ${userId} for update`)
      const passkeys = await this.of(userId)
      const gone = passkeys.find((passkey) => passkey.credentialId === credentialId)
      if (!gone) throw new EntityNotFoundError('UserPasskey', credentialId)
      if (!user?.hasPassword && !user?.hasLogin && passkeys.length === 1)
        throw new BusinessError(IdentityErrors.LastLogin)
      await this.database.execute(
        sql`delete from "AbpUserPasskeys" where "CredentialId" = ${idOf(credentialId)} and "UserId" = ${userId}`,
      )
      return gone.name
    })
    await this.tell(SecurityActions.RemovePasskey, userId, name)
  }

  async used(credentialId: string, { signCount, isBackedUp }: PasskeyUse): Promise<boolean> {
    const lastUsedAt = this.clock.now.toISOString()
    // One statement: of two signatures at once with the same count one is refused.
    const noted = await this.database.execute(sql`
      update "AbpUserPasskeys" set "Data" = "Data" || jsonb_build_object('SignCount', ${signCount}::bigint,
        'IsBackedUp', ${isBackedUp}::boolean, 'LastUsedAt', ${lastUsedAt}::text)
      where "CredentialId" = ${idOf(credentialId)}
        and (coalesce(("Data" ->> 'SignCount')::bigint, 0) < ${signCount}::bigint
          or (coalesce(("Data" ->> 'SignCount')::bigint, 0) = 0 and ${signCount}::bigint = 0))`)
    return noted === 1
  }

  /** Once it is true. */
  private async tell(
    action: 'AddPasskey' | 'RemovePasskey',
    userId: string,
    name: string | null,
  ): Promise<void> {
    const [user] = await this.database.query<{ userName: string }>(
      sql`select "UserName" as "userName" from "AbpUsers" where "Id" = ${userId}`,
    )
    const event = {
      action,
      identity: 'IdentityPasskey',
      userId,
      userName: user?.userName,
      ...(name && { extraProperties: { Passkey: name } }),
    }
    const unit = UnitOfWork.current
    if (unit) unit.onCommitted(() => this.events.write(event))
    else await this.events.write(event)
  }
}

interface StoredPasskey {
  readonly id: Buffer
  readonly name: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly transports: readonly string[] | null
}

function idOf(credentialId: string): Buffer {
  return Buffer.from(credentialId, 'base64url')
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

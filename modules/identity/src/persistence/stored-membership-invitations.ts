import { Clock, Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { type Database, Databases, raw, type Sql, sequentialGuid, sql } from '@keel/framework/data'
import { RecurringJob } from '@keel/framework/jobs'
import {
  IdentityErrors,
  type InvitedGroup,
  invitationDays,
  type MembershipInvitation,
  maxMembershipInvitations,
  type NewMembershipInvitation,
} from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { digestOf, newInvitationToken } from '../domain/invitation-token.js'
import { MembershipInvitation as MembershipInvitationRow } from '../domain/membership-invitation.js'

const dayMs = 86_400_000

/** An invitation as its page shows it. */
export type ShownInvitation = MembershipInvitation & { readonly groupName: string }

/** Invitations in `AppMembershipInvitations`. */
@Injectable()
export class StoredMembershipInvitations {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(MembershipInvitationRow)
  }

  async getList(
    group: InvitedGroup,
    { skipCount, maxResultCount }: { readonly skipCount: number; readonly maxResultCount: number },
  ): Promise<{ totalCount: number; items: ShownInvitation[] }> {
    const open = this.open(inGroup(group))
    const [[counted], items] = await Promise.all([
      this.database.query<{ count: number }>(sql`select count(*)::int as count ${open}`),
      this.database.query<ShownInvitation>(sql`
        select ${members} ${open} order by "InvitationDate" desc, "Id" limit ${maxResultCount} offset ${skipCount}`),
    ])
    return { totalCount: counted?.count ?? 0, items }
  }

  find(kind: string, id: string): Promise<ShownInvitation | undefined> {
    return this.one(sql`"Kind" = ${kind} and "Id" = ${id}`)
  }

  findOf(group: InvitedGroup, email: string): Promise<ShownInvitation | undefined> {
    return this.one(sql`${inGroup(group)} and "NormalizedEmail" = ${normalizedName(email)}`)
  }

  byToken(token: string): Promise<ShownInvitation | undefined> {
    return this.one(sql`"TokenHash" = ${digestOf(token)}`)
  }

  /**
   * Writes an invitation down, in place of one of the same address into the group, with the unit of work at hand: one too many is refused
   * after it.
   */
  async save(
    { kind, groupId, groupName, email, terms, permission }: NewMembershipInvitation,
    inviterId: string,
  ): Promise<{ readonly token: string; readonly invitation: ShownInvitation }> {
    await this.deleteEnded()
    const { token, tokenHash } = newInvitationToken()
    const { now, nowMs } = this.clock
    const [saved] = await this.database.query<ShownInvitation & { isNew: boolean; count: number }>(sql`
      with saved as (
        insert into "AppMembershipInvitations" ("Id", "Kind", "GroupId", "GroupName", "InviteeEmail", "NormalizedEmail", "Terms", "Permission",
          "InvitationDate", "TokenHash", "ExpirationTime", "InviterId")
        values (${sequentialGuid()}, ${kind}, ${groupId}, ${groupName}, ${email}, ${normalizedName(email)}, ${JSON.stringify(terms)}, ${permission},
          ${now}, ${tokenHash}, ${new Date(nowMs + invitationDays * dayMs)}, ${inviterId})
        on conflict ("Kind", "GroupId", "NormalizedEmail") do update set "GroupName" = excluded."GroupName",
          "InviteeEmail" = excluded."InviteeEmail", "Terms" = excluded."Terms", "Permission" = excluded."Permission",
          "InvitationDate" = excluded."InvitationDate", "TokenHash" = excluded."TokenHash", "ExpirationTime" = excluded."ExpirationTime",
          "InviterId" = excluded."InviterId"
        returning *, xmax = 0 as "isNew")
      select ${members}, "isNew", (select count(*) from "AppMembershipInvitations" where ${inGroup({ kind, groupId })})::int as count
      from saved`)
    if (!saved) throw new Error('The invitation was not written.')
    const { isNew, count, ...invitation } = saved
    if (isNew && count >= maxMembershipInvitations)
      throw new BusinessError(IdentityErrors.TooManyInvitations, { count: maxMembershipInvitations })
    return { token, invitation }
  }

  /** Uses a token up, with the unit of work at hand: of two who bring it at once, one gets the invitation. */
  async take(token: string): Promise<ShownInvitation | undefined> {
    const [taken] = await this.database.query<ShownInvitation>(
      sql`delete ${this.open(sql`"TokenHash" = ${digestOf(token)}`)} returning ${members}`,
    )
    return taken
  }

  async remove(kind: string, id: string): Promise<void> {
    await this.database.execute(
      sql`delete from "AppMembershipInvitations" where "Kind" = ${kind} and "Id" = ${id}`,
    )
  }

  async removeAll(group: InvitedGroup, inviterId?: string): Promise<void> {
    const ofInviter = inviterId === undefined ? sql`true` : sql`"InviterId" = ${inviterId}`
    await this.database.execute(
      sql`delete from "AppMembershipInvitations" where ${inGroup(group)} and ${ofInviter}`,
    )
  }

  /** Deletes invitations that have ended. */
  @RecurringJob('29 * * * *')
  async deleteEnded(): Promise<void> {
    await this.database.execute(
      sql`delete from "AppMembershipInvitations" where "ExpirationTime" <= ${this.clock.now}`,
    )
  }

  private async one(condition: Sql): Promise<ShownInvitation | undefined> {
    const [found] = await this.database.query<ShownInvitation>(sql`select ${members} ${this.open(condition)}`)
    return found
  }

  private open(condition: Sql): Sql {
    return sql`from "AppMembershipInvitations" where ${condition} and "ExpirationTime" > ${this.clock.now}`
  }
}

const members = raw(
  `"Id" as id, "Kind" as kind, "GroupId" as "groupId", "GroupName" as "groupName", "InviteeEmail" as email, "Terms"::json as terms,
  "Permission" as permission, "InvitationDate" as "invitationDate", "ExpirationTime" as "expirationTime", "InviterId" as "inviterId"`,
)

function inGroup({ kind, groupId }: InvitedGroup): Sql {
  return sql`"Kind" = ${kind} and "GroupId" = ${groupId}`
}

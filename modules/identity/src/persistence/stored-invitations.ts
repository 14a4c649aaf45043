import { Clock, Injectable } from '@keel/framework'
import { BusinessError, pageOf } from '@keel/framework/contracts'
import {
  type Database,
  Databases,
  JsonView,
  Locks,
  PageReader,
  raw,
  sequentialGuid,
  sql,
} from '@keel/framework/data'
import { RecurringJob } from '@keel/framework/jobs'
import {
  type GetPendingInvitationsInput,
  IdentityErrors,
  invitationDays,
  maxInvitations,
  UserSharingInvitationDto,
} from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { UserInvitation } from '../domain/invitation.js'
import { digestOf, newInvitationToken } from '../domain/invitation-token.js'

const dayMs = 86_400_000

/** An invitation that waits. */
export interface WaitingInvitation {
  readonly id: string
  readonly email: string
  /** Null for the default roles. */
  readonly roleNames: readonly string[] | null
  readonly inviterId: string
}

/** An invitation to be. */
export type NewInvitation = Omit<WaitingInvitation, 'id'>

const view = new JsonView(UserInvitation, UserSharingInvitationDto, {
  members: (t) => ({
    assignedRoles: sql`coalesce(${t}."AssignedRoles"::json, '[]'::json)`,
    status: sql`0`,
  }),
  sortBy: ['inviteeEmail', 'invitationDate'],
  searchIn: ['inviteeEmail'],
})
const Page = pageOf(UserSharingInvitationDto)

/** Invitations in `AppUserInvitations`. */
@Injectable()
export class StoredInvitations {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
    private readonly locks: Locks,
    private readonly pages: PageReader,
  ) {
    this.database = databases.of(UserInvitation)
  }

  getList(input: GetPendingInvitationsInput) {
    const conditions = [sql`t."ExpirationTime" > ${this.clock.now}`]
    return this.pages.page(Page, view, { ...input, defaultSorting: 'invitationDate desc', conditions })
  }

  async find(id: string): Promise<WaitingInvitation | undefined> {
    return this.one(sql`"Id" = ${id}`)
  }

  async byToken(token: string): Promise<WaitingInvitation | undefined> {
    return this.one(sql`"TokenHash" = ${digestOf(token)}`)
  }

  /**
   * Writes an invitation down, in place of one to the same address, with the unit of work at hand: one too
   * many is refused after it.
   * @returns its token, and whether the address was not invited before
   */
  async save({ email, roleNames, inviterId }: NewInvitation): Promise<{ token: string; isNew: boolean }> {
    // Who comes at the same time counts after this one, or both would be let in at the limit.
    await this.locks.hold('AppUserInvitations', { database: this.database })
    await this.run()
    const { token, tokenHash } = newInvitationToken()
    const { now, nowMs } = this.clock
    const roles = roleNames && JSON.stringify(roleNames)
    const [saved] = await this.database.query<{ isNew: boolean; count: number }>(sql`
      with saved as (
        insert into "AppUserInvitations" ("Id", "InviteeEmail", "NormalizedEmail", "InvitationDate", "AssignedRoles", "TokenHash", "ExpirationTime",
          "InviterId")
        values (${sequentialGuid()}, ${email}, ${normalizedName(email)}, ${now}, ${roles}, ${tokenHash},
          ${new Date(nowMs + invitationDays * dayMs)}, ${inviterId})
        on conflict ("NormalizedEmail") do update set "InviteeEmail" = excluded."InviteeEmail", "InvitationDate" = excluded."InvitationDate",
          "AssignedRoles" = excluded."AssignedRoles", "TokenHash" = excluded."TokenHash", "ExpirationTime" = excluded."ExpirationTime",
          "InviterId" = excluded."InviterId"
        returning xmax = 0 as "isNew")
      select "isNew", (select count(*) from "AppUserInvitations")::int as count from saved`)
    const { isNew = false, count = 0 } = saved ?? {}
    if (isNew && count >= maxInvitations)
      throw new BusinessError(IdentityErrors.TooManyInvitations, { count: maxInvitations })
    return { token, isNew }
  }

  /** Uses a token up, with the unit of work at hand: of two who bring it at once, one gets the invitation. */
  async take(token: string): Promise<WaitingInvitation | undefined> {
    const [taken] = await this.database.query<WaitingInvitation>(sql`
      delete from "AppUserInvitations" where "TokenHash" = ${digestOf(token)} and "ExpirationTime" > ${this.clock.now}
      returning ${members}`)
    return taken
  }

  async remove(id: string): Promise<void> {
    await this.database.execute(sql`delete from "AppUserInvitations" where "Id" = ${id}`)
  }

  async removeAll(): Promise<void> {
    await this.database.execute(sql`delete from "AppUserInvitations"`)
  }

  @RecurringJob('23 * * * *')
  async deleteEnded(): Promise<void> {
    await this.run()
  }

  /** Deletes invitations that have ended. */
  async run(): Promise<void> {
    await this.database.execute(
      sql`delete from "AppUserInvitations" where "ExpirationTime" <= ${this.clock.now}`,
    )
  }

  private async one(condition: ReturnType<typeof sql>): Promise<WaitingInvitation | undefined> {
    const [found] = await this.database.query<WaitingInvitation>(
      sql`select ${members} from "AppUserInvitations" where ${condition} and "ExpirationTime" > ${this.clock.now}`,
    )
    return found
  }
}

const members = raw(
  '"Id" as id, "InviteeEmail" as email, "AssignedRoles"::json as "roleNames", "InviterId" as "inviterId"',
)

import { createHash, randomBytes } from 'node:crypto'
import { Clock, Injectable } from '@keel/framework'
import { BusinessError, pageOf } from '@keel/framework/contracts'
import {
  barred,
  type Database,
  Databases,
  literally,
  raw,
  Sorting,
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
import { instantJson, readPage } from './json-reads.js'

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

const columns = sql`i."Id" as id, i."InviteeEmail" as "inviteeEmail", ${instantJson('i."InvitationDate"')} as "invitationDate",
  coalesce(i."AssignedRoles"::json, '[]'::json) as "assignedRoles", 0 as status`
const sorting = new Sorting(
  { inviteeEmail: 'i."InviteeEmail"', invitationDate: 'i."InvitationDate"' },
  'i."Id"',
)

/** Invitations in `AppUserInvitations`. */
@Injectable()
export class StoredInvitations {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(UserInvitation)
  }

  getList({ filter, ...page }: GetPendingInvitationsInput) {
    const text = filter ? sql`i."InviteeEmail" ~* ${literally(filter)}` : undefined
    return readPage(this.database, pageOf(UserSharingInvitationDto), {
      columns,
      from: raw('"AppUserInvitations" i'),
      where: barred([sql`i."ExpirationTime" > ${this.clock.now}`], [text]),
      order: sorting.orderBy(page.sorting?.trim() || 'invitationDate desc'),
      skipCount: page.skipCount,
      maxResultCount: page.maxResultCount,
    })
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
    await this.run()
    const token = randomBytes(32).toString('base64url')
    const { now, nowMs } = this.clock
    const roles = roleNames && JSON.stringify(roleNames)
    const [saved] = await this.database.query<{ isNew: boolean; count: number }>(sql`
      with saved as (
        insert into "AppUserInvitations" ("Id", "InviteeEmail", "NormalizedEmail", "InvitationDate", "AssignedRoles", "TokenHash", "ExpirationTime",
          "InviterId")
        values (${sequentialGuid()}, ${email}, ${normalizedName(email)}, ${now}, ${roles}, ${digestOf(token)},
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

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

import { Clock, Injectable } from '@keel/framework'
import { pageOf } from '@keel/framework/contracts'
import { Databases, JsonView, Locks, RowRules, type Sql, StoreOf, sql } from '@keel/framework/data'
import {
  PersonalDataRequestDto,
  PersonalDataRequestKind,
  PersonalDataRequestStatus,
  type PersonalDataResultDto,
  personalDataLimits,
} from '../contracts/index.js'
import { PersonalDataRequest } from '../domain/personal-data-request.js'

/** A page of requests. */
export const RequestPage = pageOf(PersonalDataRequestDto)
/** The view of requests. Which of them a caller sees is the entity's row rule. */
export const requestView = new JsonView(PersonalDataRequest, PersonalDataRequestDto, {
  // An array of DTOs that is no table of its own.
  members: (t) => ({ result: sql`${t}."Result"` }),
})

const dayMs = 86_400_000
const { Queued, Running, Succeeded, Failed } = PersonalDataRequestStatus

/** What became of the data of a person, by kind. */
export type PersonalDataResult = InstanceType<typeof PersonalDataResultDto>[]

/** A file that an export has written. */
export interface PersonalDataFile {
  readonly blobName: string
  /** Bytes. */
  readonly fileSize: number
}

/** The requests about the data of persons. Each step is one statement that names the state before it: of two processes one makes it. */
@Injectable()
export class PersonalDataRequestStore extends StoreOf(PersonalDataRequest) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly locks: Locks,
    private readonly clock: Clock,
  ) {
    super(databases, rules)
  }

  /** Lets one request of a caller at a time be added, until the unit of work ends. */
  async lock(callerId: string): Promise<void> {
    await this.locks.hold(`App.PersonalData ${callerId}`, { database: this.database })
  }

  /** How many requests a user has made within a day, about the own data or about that of others. */
  async countOfDay(callerId: string, isOwn: boolean): Promise<number> {
    const [found] = await this.database.query<{ count: number }>(sql`
      select count(*)::int as count from "AppPersonalDataRequests"
      where "CreatorId" = ${callerId} and ("UserId" = ${callerId}) = ${isOwn} and "CreationTime" > ${this.before(1)}`)
    return found?.count ?? 0
  }

  /** True while a request of a kind about a person waits or runs. */
  async isOpen(userId: string, kind: PersonalDataRequestKind): Promise<boolean> {
    const open = await this.everyWhere(
      sql`t."UserId" = ${userId} and t."Kind" = ${kind} and t."Status" in (${Queued}, ${Running})`,
    )
    return open.length > 0
  }

  /** True from the moment an erasure of a person was asked for. */
  async wasErased(userId: string): Promise<boolean> {
    const erasures = await this.everyWhere(
      sql`t."UserId" = ${userId} and t."Kind" = ${PersonalDataRequestKind.Erasure}`,
    )
    return erasures.length > 0
  }

  /** A request whatever the caller sees: for the program. */
  async ofProgram(id: string): Promise<PersonalDataRequest | undefined> {
    return (await this.everyWhere(sql`t."Id" = ${id}`))[0]
  }

  /** Begins an attempt. False when the request is over. */
  async begin(id: string): Promise<boolean> {
    return this.step(sql`
      update "AppPersonalDataRequests" set "Status" = ${Running}, "StartTime" = coalesce("StartTime", ${this.clock.now})
      where "Id" = ${id} and "Status" in (${Queued}, ${Running})`)
  }

  /** Notes what there was before an erasure began: a repeated attempt finds less. */
  async noteFound(id: string, result: PersonalDataResult): Promise<void> {
    await this.step(sql`
      update "AppPersonalDataRequests" set "Result" = ${JSON.stringify(result)}::jsonb
      where "Id" = ${id} and "Status" = ${Running} and "Result" is null`)
  }

  /** Ends a request. False when it is over already. */
  async succeed(id: string, result: PersonalDataResult, file?: PersonalDataFile): Promise<boolean> {
    const expirationTime = file ? new Date(this.clock.nowMs + personalDataLimits.fileDays * dayMs) : null
    return this.step(sql`
      update "AppPersonalDataRequests" set "Status" = ${Succeeded}, "EndTime" = ${this.clock.now}, "Error" = null,
        "Result" = ${JSON.stringify(result)}::jsonb, "BlobName" = ${file?.blobName ?? null}, "FileSize" = ${file?.fileSize ?? null},
        "ExpirationTime" = ${expirationTime}
      where "Id" = ${id} and "Status" = ${Running}`)
  }

  /** Ends a request without success. False when it is over already. */
  async fail(id: string, error: string): Promise<boolean> {
    return this.step(sql`
      update "AppPersonalDataRequests" set "Status" = ${Failed}, "EndTime" = ${this.clock.now}, "Error" = ${error}
      where "Id" = ${id} and "Status" in (${Queued}, ${Running})`)
  }

  /** Requests that no job works on any more: their process was killed at its last attempt. */
  async abandoned(): Promise<PersonalDataRequest[]> {
    return this.everyWhere(
      sql`t."Status" in (${Queued}, ${Running}) and t."CreationTime" < ${this.before(1)}`,
    )
  }

  /** Exports with a file whose time is over, or whose person was erased since. */
  async endedFiles(most: number): Promise<{ readonly id: string; readonly blobName: string }[]> {
    return this.database.query<{ id: string; blobName: string }>(sql`
      select r."Id" as id, r."BlobName" as "blobName" from "AppPersonalDataRequests" r
      where r."BlobName" is not null and (r."ExpirationTime" <= ${this.clock.now} or exists (
        select from "AppPersonalDataRequests" e where e."UserId" = r."UserId" and e."Kind" = ${PersonalDataRequestKind.Erasure}))
      limit ${most}`)
  }

  async forgetFile(id: string): Promise<void> {
    await this.step(
      sql`update "AppPersonalDataRequests" set "BlobName" = null, "FileSize" = null where "Id" = ${id}`,
    )
  }

  /** The persons whose erasure ended within some days: what was under way then may have written more about them. */
  async lately(days: number): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(sql`
      select distinct "UserId" as "userId" from "AppPersonalDataRequests"
      where "Kind" = ${PersonalDataRequestKind.Erasure} and "Status" = ${Succeeded} and "EndTime" > ${this.before(days)}`)
    return rows.map(({ userId }) => userId)
  }

  /** Deletes records that are old enough, some at once; answers how many. */
  async deleteOld(most: number): Promise<number> {
    return this.database.execute(sql`
      delete from "AppPersonalDataRequests" where "Id" in (
        select "Id" from "AppPersonalDataRequests"
        where "CreationTime" < ${this.before(personalDataLimits.recordDays)} and "BlobName" is null limit ${most} for update skip locked)`)
  }

  private before(days: number): Date {
    return new Date(this.clock.nowMs - days * dayMs)
  }

  private async step(statement: Sql): Promise<boolean> {
    return (await this.database.execute(statement)) > 0
  }
}

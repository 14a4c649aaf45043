import { Application, Clock, Injectable, Settings } from '@keel/framework'
import {
  Databases,
  entityMeta,
  identifier,
  isPersonalRows,
  type PersonalRows,
  PlatformTimestamp,
  type Retention,
  sql,
} from '@keel/framework/data'
import { type JobContext, RecurringJob } from '@keel/framework/jobs'

const dayMs = 86_400_000
/** Rows that one statement deletes: no statement takes long, and no row is locked for long. */
const rowsAtOnce = 5000

/** Deletes records about persons every night that are older than a setting allows. */
@Injectable()
export class ExpiredRecords {
  /** The retention of the kinds of records that a setting decides about, by name. */
  readonly kinds: ReadonlyMap<string, Retention>
  private readonly rows: readonly PersonalRows[]

  constructor(
    private readonly application: Application,
    private readonly databases: Databases,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.rows = application.modules
      .flatMap(({ options }) => options.personalData ?? [])
      .filter(isPersonalRows)
    this.kinds = new Map(
      this.rows.flatMap(({ name, retention }): [string, Retention][] =>
        retention ? [[name, retention]] : [],
      ),
    )
  }

  @RecurringJob('29 2 * * *')
  async deleteExpired({ signal }: JobContext): Promise<void> {
    for (const { name, entity, retention } of this.rows) {
      const days = retention ? Number(await this.settings.valueOf(retention.days.name)) : 0
      if (!retention || days === 0) continue
      const table = identifier(entityMeta(entity).table)
      const before = new Date(this.clock.nowMs - days * dayMs)
      const time = sql`t.${identifier(retention.time.column)}`
      const statement = sql`
        delete from ${table} t where t.ctid = any(array(
          select t.ctid from ${table} t where ${inUtc(retention) ? sql`${time} at time zone 'utc'` : time} < ${before} limit ${rowsAtOnce}))`
      let deleted = 0
      for (let last = rowsAtOnce; last === rowsAtOnce && !signal.aborted; deleted += last)
        last = await this.databases.of(entity).execute(statement)
      if (deleted) this.application.logger.info({ kind: name, deleted, days }, 'expired records deleted')
    }
  }
}

/** True for the columns of ABP's tables, which hold UTC without a zone. */
function inUtc({ time }: Retention): boolean {
  return time.type === PlatformTimestamp
}

import { randomUUID } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Databases, type SeedContext, Seeder, sql, UnitOfWork } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { OrganizationMergedEto } from '../contracts/index.js'
import type { Organization } from '../domain/organization.js'
import { OrganizationMerge } from './organization-merge.js'
import { OrganizationStore } from './stores.js'

/** A merge as the audit log tells it. */
interface PastMerge {
  readonly sourceId: string
  readonly targetId: string
  readonly mergeTime: Date
}

/**
 * Repeats merges of organizations that happened before Hub noted which one stays: rows that were given to the organization that went in the moment of its merge, and what
 * other modules keep of it, follow now. The audit log tells which one was merged into which. Each merge is made up for once.
 */
@Injectable()
export class PastMergeSeeder extends Seeder {
  override readonly order = 1

  constructor(
    private readonly organizations: OrganizationStore,
    private readonly merging: OrganizationMerge,
    private readonly events: DistributedEventBus,
    private readonly databases: Databases,
  ) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    const gone = new Map((await this.organizations.deletedWithoutMerge()).map((one) => [one.id, one]))
    if (!gone.size) return
    let merges = 0
    for (const { sourceId, targetId, mergeTime } of await this.toldMerges(logger)) {
      const source = gone.get(sourceId)
      const target = source && (await this.organizations.survivorOf(targetId))
      if (!target) continue
      try {
        await this.merging.run(source, target)
      } catch (error) {
        if (!(error instanceof BusinessError)) throw error
        logger.warn(
          { err: error, source: source.code, target: target.code },
          'what is left of a merged organization stays',
        )
        continue
      }
      await this.organizations.noteMerge(sourceId, target.id)
      await this.tell(source, target, mergeTime)
      gone.delete(sourceId)
      merges++
    }
    if (merges) logger.info({ merges }, 'merges of organizations were repeated')
  }

  private async tell(source: Organization, target: Organization, occurredAt: Date): Promise<void> {
    const { id: entityId, code: reference, fullName: name, tenantId } = target
    await this.events.publish(
      new OrganizationMergedEto({
        ...{ eventId: randomUUID(), occurredAt, entityId, reference, name, userId: null, tenantId },
        ...{ sourceId: source.id, sourceCode: source.code },
      }),
      { key: entityId },
    )
  }

  /** None while the Default database cannot be read from here: the next run asks again. */
  private async toldMerges(logger: SeedContext['logger']): Promise<PastMerge[]> {
    try {
      return await UnitOfWork.apart(() => this.mergesInLog())
    } catch (error) {
      logger.warn(
        { err: error },
        'merges of organizations of before are not repeated: the audit log is not there',
      )
      return []
    }
  }

  /** The merges in the audit log of the Default database, the latest first, so that where it leads is known of the earlier ones; none where it has no audit log. */
  private async mergesInLog(): Promise<PastMerge[]> {
    const database = this.databases.named('Default')
    const [log] = await database.query<{ isThere: boolean }>(
      sql`select to_regclass('"AbpAuditLogActions"') is not null as "isThere"`,
    )
    if (!log?.isThere) return []
    return database.query<PastMerge>(sql`
      select lower(a."Parameters"::jsonb -> 'input' ->> 'sourceId') as "sourceId", lower(a."Parameters"::jsonb ->> 'id') as "targetId",
        a."ExecutionTime" at time zone 'utc' as "mergeTime"
      from "AbpAuditLogActions" a join "AbpAuditLogs" l on l."Id" = a."AuditLogId" and l."HttpStatusCode" between 200 and 299
      where a."TenantId" is null and a."ServiceName" = 'Hub.OrganizationAppService' and a."MethodName" = 'merge' and a."Parameters" is json
      order by a."ExecutionTime" desc`)
  }
}

import { Diagnosis, type Finding, healthy, Injectable, problem } from '@keel/framework'
import { type Database, Databases, entityMeta, identifier, type Sql, sql } from '@keel/framework/data'
import { Consol } from '../domain/consol.js'
import { Container } from '../domain/container.js'
import { Order } from '../domain/order.js'

/** About so many rows of each table are looked at, in blocks that PostgreSQL chooses at random. */
const mostLookedAt = 10_000

/** Those who see a shipment `s`, as rows of `id`. */
const readersOfShipment = sql`(select unnest(s."VisibleOrganizationIds") as id
  union all select s."CreatorId" where cardinality(s."VisibleOrganizationIds") = 0)`

/** Those who see a container or consol `t` by the shipments that it carries, as rows of `id`. */
function readersByLinks(links: string, by: string): Sql {
  return sql`select r.id from ${identifier(links)} l join "HubShipments" s on s."Id" = l."ShipmentId"
    cross join lateral ${readersOfShipment} r
    where l.${identifier(by)} = t."Id" and l."IsDeleted" = false and s."IsDeleted" = false`
}

const kinds = [
  {
    entity: Order,
    readers: sql`select unnest(array[t."BuyerId", t."SupplierId"]) as id
      union all select r.id from "HubShipments" s cross join lateral ${readersOfShipment} r
      where s."Id" = t."ShipmentId" and s."IsDeleted" = false`,
  },
  { entity: Container, readers: readersByLinks('HubShipmentContainers', 'ContainerId') },
  { entity: Consol, readers: readersByLinks('HubConsolShipments', 'ConsolId') },
] as const

/**
 * Compares `ReaderIds`, which triggers keep and row rules read, with what follows from shipments, links, buyers and suppliers: in some rows of each table,
 * since all of a large one would take long. Rows that were written without their trigger stay wrong when it is back.
 */
@Injectable()
export class ReadersDiagnosis extends Diagnosis {
  private readonly database: Database

  constructor(databases: Databases) {
    super()
    this.database = databases.of(Order)
  }

  async examine(): Promise<readonly Finding[]> {
    try {
      return await Promise.all(
        kinds.map(({ entity, readers }) => this.compare(entityMeta(entity).table, readers)),
      )
    } catch {
      // The diagnosis of databases tells of one that does not answer, or lacks tables.
      return []
    }
  }

  private async compare(table: string, readers: Sql): Promise<Finding> {
    const [row] = await this.database.query<{ rows: number; wrong: number }>(sql`
      select count(*)::int as rows, count(*) filter (where t."ReaderIds" <> array(
          select distinct id from (${readers}) r where id is not null order by id))::int as wrong
      from ${identifier(table)} t tablesample system ((
        select least(100, 100.0 * ${mostLookedAt} / greatest(reltuples, 1)) from pg_class
        where oid = ${`"${table}"`}::regclass))`)
    const { rows = 0, wrong = 0 } = row ?? {}
    const subject = `Readers in ${table}`
    if (wrong === 0) return healthy(subject, `right (rows looked at: ${rows})`)
    return problem(
      subject,
      `wrong in ${wrong} of ${rows} rows looked at, which others see than those who may`,
      `Once all triggers are there and enabled, run update "${table}" set "ReaderIds" = '{}': they compute the values.`,
    )
  }
}

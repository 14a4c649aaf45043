import { Injectable } from '@keel/framework'
import { and, Databases, entityMeta, RowRules, raw, type Sql, sql } from '@keel/framework/data'
import type { ShipmentStatisticsDto, StatisticsGrouping } from '../contracts/index.js'
import { Shipment } from '../domain/shipment.js'

/** The most groups of an answer. */
const most = 1000

/** The keys of the groups, in SQL over the shipment `t`. */
const keys: Readonly<Record<StatisticsGrouping, Sql>> = {
  status: raw('t."Status"::text'),
  transportMode: raw('(select c."Code" from "HubCodeEntities" c where c."Id" = t."TransportModeId")'),
  organization: raw('(select o."Code" from "HubOrganizations" o where o."Id" = t."ControllingCustomerId")'),
  month: raw(`to_char(t."EstimatedDeparture" at time zone 'utc', 'YYYY-MM')`),
}

/** Sums over the shipments that the caller may see. */
@Injectable()
export class ShipmentStatistics {
  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
  ) {}

  /** The sums by group, for estimated departures from one moment to before another, largest groups first. */
  async of(from: Date, to: Date, groupBy: StatisticsGrouping): Promise<ShipmentStatisticsDto[]> {
    const visible = and([
      ...(await this.rules.conditionsFor(entityMeta(Shipment), 't')),
      sql`t."EstimatedDeparture" >= ${from} and t."EstimatedDeparture" < ${to}`,
    ])
    // Over many rows: others do not wait for it.
    return this.databases.of(Shipment).queryList<ShipmentStatisticsDto>(sql`
      select ${keys[groupBy]} as key, count(*)::int as count, count(*) filter (where t."IsOnHold")::int as "onHold",
        count(*) filter (where coalesce(t."ActualArrival", now()) > t."EstimatedArrival" and t."Status" between 4 and 9
          and (t."ActualArrival" is not null or t."Status" = 4))::int as late,
        sum(t."TotalPackages")::float8 as "totalPackages", sum(t."TotalGrossWeight") as "totalGrossWeight",
        sum(t."TotalVolume") as "totalVolume", sum(t."Co2Emissions") as "co2Emissions"
      from "HubShipments" t where ${visible}
      group by 1 order by 2 desc, 1 limit ${most}`)
  }
}

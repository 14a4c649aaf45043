import { Injectable } from '@keel/framework'
import { and, Databases, type EntityClass, entityMeta, RowRules, sql } from '@keel/framework/data'
import { Shipment } from '../domain/shipment.js'
import { ShipmentException } from '../domain/shipment-exception.js'
import { ShipmentMilestone } from '../domain/shipment-milestone.js'
import { ShipmentStatusHistory } from '../domain/shipment-status-history.js'

/** The most entries of a timeline. */
const most = 1000

/** An entry of a timeline as it is read. */
export interface TimelineRow {
  readonly kind: 'Milestone' | 'StatusChange' | 'Exception'
  readonly id: string
  readonly time: Date
  /** A milestone's code, a status, or the severity of an exception, by its number. */
  readonly value: number
  readonly isActual: boolean
  readonly text: string | null
}

/** Reads past and expected events of a shipment, from three tables in one statement. */
@Injectable()
export class ShipmentTimeline {
  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
  ) {}

  /** The entries of a shipment that the caller may see, by their time, 1000 at the most. */
  async of(shipmentId: string): Promise<TimelineRow[]> {
    const [milestones, changes, exceptions] = await Promise.all([
      this.rowsOf(ShipmentMilestone, shipmentId),
      this.rowsOf(ShipmentStatusHistory, shipmentId),
      this.rowsOf(ShipmentException, shipmentId),
    ])
    return this.databases.of(Shipment).query<TimelineRow>(sql`
      select kind, id, time, value::int as value, "isActual", text from (
        select 'Milestone' as kind, t."Id" as id, coalesce(t."ActualTime", t."EstimatedTime", t."PlannedTime") as time,
          t."Code" as value, t."ActualTime" is not null as "isActual", null as text
        from "HubShipmentMilestones" t where ${milestones}
        union all
        select 'StatusChange', t."Id", t."ChangeTime", t."ToStatus", true, t."Reason" from "HubShipmentStatusHistories" t where ${changes}
        union all
        select 'Exception', t."Id", t."RaisedTime", t."Severity", true, t."Description" from "HubShipmentExceptions" t where ${exceptions}
      ) entries where time is not null order by time, kind, value, id limit ${most}`)
  }

  private async rowsOf(entity: EntityClass, shipmentId: string) {
    const visible = await this.rules.conditionsFor(entityMeta(entity), 't')
    return and([...visible, sql`t."ShipmentId" = ${shipmentId}`])
  }
}

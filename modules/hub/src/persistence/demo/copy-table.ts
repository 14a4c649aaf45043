import { CopyBuffer, copyRows, type DatabaseSession, entityMeta } from '@keel/framework/data'
import { Vessel } from '../../domain/carrier.js'
import { Consol, ConsolLeg, ConsolShipment } from '../../domain/consol.js'
import { Container, ShipmentContainer } from '../../domain/container.js'
import { Document } from '../../domain/document.js'
import { Order, OrderLine, OrderStatusHistory } from '../../domain/order.js'
import { Organization, OrganizationMember } from '../../domain/organization.js'
import { OrganizationAddress } from '../../domain/organization-address.js'
import { OrganizationContact } from '../../domain/organization-contact.js'
import { PackLine, PackLineDangerousGoods } from '../../domain/pack-line.js'
import { SailingSchedule } from '../../domain/sailing-schedule.js'
import { Shipment, ShipmentAddress } from '../../domain/shipment.js'
import { ShipmentException } from '../../domain/shipment-exception.js'
import { ShipmentMilestone } from '../../domain/shipment-milestone.js'
import { ShipmentNote } from '../../domain/shipment-note.js'
import { ShipmentReferenceNumber } from '../../domain/shipment-reference-number.js'
import { ShipmentStatusHistory } from '../../domain/shipment-status-history.js'
import { Terminal } from '../../domain/terminal.js'
import { TrackingEvent } from '../../domain/tracking-event.js'
import type { DemoTable } from './demo-table.js'

/** Large enough that the cost of a statement vanishes, small enough that rows do not pile up in memory. */
const pieceBytes = 1024 * 1024

const entities = [
  Organization,
  OrganizationAddress,
  OrganizationContact,
  OrganizationMember,
  Shipment,
  ShipmentAddress,
  ShipmentReferenceNumber,
  ShipmentMilestone,
  ShipmentNote,
  ShipmentException,
  ShipmentStatusHistory,
  Order,
  OrderLine,
  OrderStatusHistory,
  Terminal,
  Vessel,
  SailingSchedule,
  Consol,
  ConsolLeg,
  ConsolShipment,
  Container,
  ShipmentContainer,
  PackLine,
  PackLineDangerousGoods,
  TrackingEvent,
  Document,
].map(entityMeta)

/**
 * Writes all rows of `table` by COPY, piece by piece, in the transaction that the session has open.
 * `onProgress` hears how many rows were sent so far.
 */
export async function copyTable(
  session: DatabaseSession,
  { table, columns, rows }: DemoTable,
  onProgress: (done: number) => void,
): Promise<void> {
  const known = [...(entities.find((entity) => entity.table === table)?.columns.values() ?? [])]
  const buffer = new CopyBuffer(
    table,
    columns.map((name) => {
      const column = known.find((one) => one.column === name)
      if (!column) throw new Error(`${table} has no column ${name}`)
      return column
    }),
  )
  let done = 0
  for (const row of rows) {
    buffer.add(row)
    done++
    if (buffer.length >= pieceBytes) await send()
  }
  await send()

  async function send(): Promise<void> {
    await copyRows(session, [buffer.rows(0, buffer.length)])
    buffer.cut(0)
    onProgress(done)
  }
}

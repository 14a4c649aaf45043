import type { SheetRow } from '@keel/framework/spreadsheets'
import { type CodeEntityDto, type PortDto, type ShipmentDto, ShipmentStatus } from '../contracts/index.js'

/** The columns of a list of shipments as a file; each is headed by the text of its name. */
export const shipmentColumns = {
  shipmentReference: { kind: 'text', width: 20 },
  status: { kind: 'text', width: 16 },
  isOnHold: { kind: 'boolean' },
  transportMode: { kind: 'text' },
  containerMode: { kind: 'text' },
  departurePort: { kind: 'text' },
  departurePortName: { kind: 'text', width: 24 },
  estimatedDeparture: { kind: 'instant' },
  actualDeparture: { kind: 'instant' },
  arrivalPort: { kind: 'text' },
  arrivalPortName: { kind: 'text', width: 24 },
  estimatedArrival: { kind: 'instant' },
  actualArrival: { kind: 'instant' },
  customer: { kind: 'text', width: 30 },
  cargoDescription: { kind: 'text', width: 40 },
  totalPackages: { kind: 'number' },
  totalGrossWeight: { kind: 'number' },
  totalVolume: { kind: 'number' },
  co2Emissions: { kind: 'number' },
  goodsValue: { kind: 'decimal' },
  goodsCurrencyCode: { kind: 'text' },
  houseBillNumber: { kind: 'text', width: 18 },
  masterBillNumber: { kind: 'text', width: 18 },
  vesselName: { kind: 'text', width: 18 },
  voyageFlightNumber: { kind: 'text' },
} as const

/** A shipment as lists answer it: JSON, so that its points in time are text and its decimals numbers. */
type ListedShipment = Omit<ShipmentDto, 'goodsValue' | `${string}Port` | `${string}Mode`> & {
  readonly goodsValue?: number | null
  readonly firstConsolLegDeparturePort?: PortDto | null
  readonly lastConsolLegArrivalPort?: PortDto | null
  readonly transportMode?: CodeEntityDto | null
  readonly containerMode?: CodeEntityDto | null
}

/** The rows of a file from shipments as JSON. */
export async function* shipmentRows(
  shipments: AsyncIterable<readonly string[]>,
): AsyncGenerator<SheetRow<typeof shipmentColumns>> {
  for await (const texts of shipments)
    for (const text of texts) yield rowOf(JSON.parse(text) as ListedShipment)
}

function rowOf(shipment: ListedShipment): SheetRow<typeof shipmentColumns> {
  const { firstConsolLegDeparturePort: from, lastConsolLegArrivalPort: to, goodsValue, status } = shipment
  return {
    ...shipment,
    status: ShipmentStatus[status],
    transportMode: shipment.transportMode?.code,
    containerMode: shipment.containerMode?.code,
    departurePort: from?.unLocode,
    departurePortName: from?.name,
    estimatedDeparture: instantOf(shipment.estimatedDeparture),
    actualDeparture: instantOf(shipment.actualDeparture),
    arrivalPort: to?.unLocode,
    arrivalPortName: to?.name,
    estimatedArrival: instantOf(shipment.estimatedArrival),
    actualArrival: instantOf(shipment.actualArrival),
    customer: shipment.controllingCustomer?.fullName,
    goodsValue: goodsValue === null || goodsValue === undefined ? goodsValue : String(goodsValue),
  }
}

function instantOf(text: unknown): Date | null {
  return typeof text === 'string' ? new Date(text) : null
}

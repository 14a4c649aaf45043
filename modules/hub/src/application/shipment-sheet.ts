import type { SheetRow } from '@keel/framework/spreadsheets'
import { type CodeEntityDto, type PortDto, type ShipmentDto, ShipmentStatus } from '../contracts/index.js'

/** The columns of a list of shipments as a file. */
export const shipmentColumns = {
  shipmentReference: { header: 'Shipment', kind: 'text', width: 20 },
  status: { header: 'Status', kind: 'text', width: 16 },
  isOnHold: { header: 'On hold', kind: 'boolean' },
  transportMode: { header: 'Transport mode', kind: 'text' },
  containerMode: { header: 'Container mode', kind: 'text' },
  departurePort: { header: 'Departure port', kind: 'text' },
  departurePortName: { header: 'Departure port name', kind: 'text', width: 24 },
  estimatedDeparture: { header: 'Estimated departure', kind: 'instant' },
  actualDeparture: { header: 'Actual departure', kind: 'instant' },
  arrivalPort: { header: 'Arrival port', kind: 'text' },
  arrivalPortName: { header: 'Arrival port name', kind: 'text', width: 24 },
  estimatedArrival: { header: 'Estimated arrival', kind: 'instant' },
  actualArrival: { header: 'Actual arrival', kind: 'instant' },
  customer: { header: 'Customer', kind: 'text', width: 30 },
  cargoDescription: { header: 'Cargo', kind: 'text', width: 40 },
  totalPackages: { header: 'Packages', kind: 'number' },
  totalGrossWeight: { header: 'Gross weight (kg)', kind: 'number' },
  totalVolume: { header: 'Volume (m³)', kind: 'number' },
  co2Emissions: { header: 'CO2e (kg)', kind: 'number' },
  goodsValue: { header: 'Goods value', kind: 'decimal' },
  goodsCurrencyCode: { header: 'Currency', kind: 'text' },
  houseBillNumber: { header: 'House bill', kind: 'text', width: 18 },
  masterBillNumber: { header: 'Master bill', kind: 'text', width: 18 },
  vesselName: { header: 'Vessel', kind: 'text', width: 18 },
  voyageFlightNumber: { header: 'Voyage or flight', kind: 'text' },
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

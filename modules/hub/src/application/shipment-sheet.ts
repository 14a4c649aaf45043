import { entityMeta, ListSheet } from '@keel/framework/data'
import { ShipmentDto } from '../contracts/index.js'
import { Shipment } from '../domain/shipment.js'

/** The list of shipments as a file; each column is headed by the text of its name. */
export const shipmentSheet = new ListSheet(entityMeta(Shipment), ShipmentDto, {
  fileName: 'shipments',
  columns: {
    shipmentReference: 'shipmentReference',
    status: 'status',
    isOnHold: 'isOnHold',
    transportMode: 'transportMode.code',
    containerMode: 'containerMode.code',
    departurePort: 'firstConsolLegDeparturePort.unLocode',
    departurePortName: 'firstConsolLegDeparturePort.name',
    estimatedDeparture: 'estimatedDeparture',
    actualDeparture: 'actualDeparture',
    arrivalPort: 'lastConsolLegArrivalPort.unLocode',
    arrivalPortName: 'lastConsolLegArrivalPort.name',
    estimatedArrival: 'estimatedArrival',
    actualArrival: 'actualArrival',
    customer: 'controllingCustomer.fullName',
    cargoDescription: 'cargoDescription',
    totalPackages: 'totalPackages',
    totalGrossWeight: 'totalGrossWeight',
    totalVolume: 'totalVolume',
    co2Emissions: 'co2Emissions',
    goodsValue: 'goodsValue',
    goodsCurrencyCode: 'goodsCurrencyCode',
    houseBillNumber: 'houseBillNumber',
    masterBillNumber: 'masterBillNumber',
    vesselName: 'vesselName',
    voyageFlightNumber: 'voyageFlightNumber',
  },
})

import type { FacetField } from '@keel/framework/data'
import { ShipmentStatus } from '../contracts/index.js'

/** The attributes that a text is looked for in, over REST and OData. */
export const searchedInShipments = [
  'shipmentReference',
  'houseBillNumber',
  'masterBillNumber',
  'bookingReference',
] as const

/** The filter and facet fields of lists of shipments (interface document, "Shipment endpoints"). */
export const shipmentFacets: readonly FacetField[] = [
  { name: 'TransportMode', attribute: 'transportModeId', code: 'code' },
  { name: 'ContainerMode', attribute: 'containerModeId', code: 'code' },
  {
    name: 'DeparturePort',
    aliases: ['FirstConsolLegDeparturePort'],
    attribute: 'firstConsolLegDeparturePortId',
    code: 'unLocode',
  },
  {
    name: 'ArrivalPort',
    aliases: ['LastConsolLegArrivalPort'],
    attribute: 'lastConsolLegArrivalPortId',
    code: 'unLocode',
  },
  { name: 'Status', attribute: 'status', values: ShipmentStatus },
  {
    name: 'Organization',
    aliases: ['ControllingCustomer'],
    attribute: 'controllingCustomerId',
    code: 'code',
    hasManyValues: true,
  },
]

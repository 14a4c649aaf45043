import type { FacetField } from '@keel/framework/data'
import { ShipmentStatus } from '../contracts/index.js'

/** What lists of shipments can be filtered and counted by (interface document, "Shipment endpoints"). */
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

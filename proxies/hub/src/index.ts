import {
  createEntitySets,
  createProxy,
  type EntitySetClient,
  joinClients,
  type ProxyOptions,
} from '@keel/framework/client'
import {
  CodeEntityAppService,
  CodeEntityDto,
  DocumentAppService,
  DocumentDto,
  Hub,
  OrderDto,
  OrganizationAppService,
  OrganizationDto,
  PortAppService,
  PortDto,
  ShipmentAddressDto,
  ShipmentAppService,
  ShipmentDto,
} from '@keel/hub/contracts'

export * from '@keel/framework/client'
export * from '@keel/hub/contracts'

/** The services of Hub as clients, and its entity sets to query (`/odata`). */
export interface HubProxy {
  readonly shipments: ShipmentAppService & EntitySetClient<typeof ShipmentDto>
  readonly shipmentAddresses: EntitySetClient<typeof ShipmentAddressDto>
  readonly orders: EntitySetClient<typeof OrderDto>
  readonly documents: DocumentAppService & EntitySetClient<typeof DocumentDto>
  readonly ports: PortAppService & EntitySetClient<typeof PortDto>
  readonly codeEntities: CodeEntityAppService & EntitySetClient<typeof CodeEntityDto>
  readonly organizations: OrganizationAppService & EntitySetClient<typeof OrganizationDto>
}

/**
 * Clients of Hub, the remote service `Hub`. Throws when `options` give no address.
 * @example
 * const hub = createHubProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const page = await hub.shipments.getList({ maxResultCount: 50, includeFacets: true })
 * const booked = await hub.shipments.query((q) => q.filter((s) => s.status.eq(ShipmentStatus.Booked)).expand('documents').top(50))
 */
export function createHubProxy(options: ProxyOptions): HubProxy {
  const contracts = {
    shipments: ShipmentAppService,
    ports: PortAppService,
    codeEntities: CodeEntityAppService,
    organizations: OrganizationAppService,
    documents: DocumentAppService,
  }
  const sets = {
    shipments: ['Shipments', ShipmentDto],
    shipmentAddresses: ['ShipmentAddresses', ShipmentAddressDto],
    orders: ['Orders', OrderDto],
    documents: ['Documents', DocumentDto],
    ports: ['Ports', PortDto],
    codeEntities: ['CodeEntities', CodeEntityDto],
    organizations: ['Organizations', OrganizationDto],
  } as const
  return joinClients(createProxy(Hub, contracts, options), createEntitySets(Hub, sets, options))
}

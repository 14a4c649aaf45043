import { createProxy, type ProxyOf, type ProxyOptions } from '@keel/framework/client'
import {
  CodeEntityAppService,
  Hub,
  OrganizationAppService,
  PortAppService,
  ShipmentAppService,
} from '@keel/hub/contracts'

export * from '@keel/framework/client'
export * from '@keel/hub/contracts'

const contracts = {
  shipments: ShipmentAppService,
  ports: PortAppService,
  codeEntities: CodeEntityAppService,
  organizations: OrganizationAppService,
}

/** The services of Hub as clients. */
export type HubProxy = ProxyOf<typeof contracts>

/**
 * Clients of Hub, the remote service `Hub`.
 * @example
 * const hub = createHubProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const page = await hub.shipments.getList({ maxResultCount: 50, includeFacets: true })
 */
export function createHubProxy(options: ProxyOptions): HubProxy {
  return createProxy(Hub, contracts, options)
}

import { createProxy, type ProxyOptions } from '@keel/framework/client'
import {
  CodeEntityAppService,
  DocumentAppService,
  Hub,
  OrganizationAppService,
  PortAppService,
  ShipmentAppService,
} from '@keel/hub/contracts'

export * from '@keel/framework/client'
export * from '@keel/hub/contracts'

/** The services of Hub as clients. */
export interface HubProxy {
  readonly shipments: ShipmentAppService
  readonly ports: PortAppService
  readonly codeEntities: CodeEntityAppService
  readonly organizations: OrganizationAppService
  readonly documents: DocumentAppService
}

/**
 * Clients of Hub, the remote service `Hub`. Throws when `options` give no address.
 * @example
 * const hub = createHubProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const page = await hub.shipments.getList({ maxResultCount: 50, includeFacets: true })
 */
export function createHubProxy(options: ProxyOptions): HubProxy {
  const contracts = {
    shipments: ShipmentAppService,
    ports: PortAppService,
    codeEntities: CodeEntityAppService,
    organizations: OrganizationAppService,
    documents: DocumentAppService,
  }
  return createProxy(Hub, contracts, options)
}

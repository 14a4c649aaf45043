import { entitySet } from '@keel/framework/data'
import {
  CodeEntityPermissions,
  DocumentPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Country } from '../domain/country.js'
import { Document } from '../domain/document.js'
import { Order } from '../domain/order.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { Port } from '../domain/port.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'
import { shipmentFacets } from './shipment-facets.js'

/** What Hub publishes to OData. */
export const hubEntitySets = [
  entitySet('Shipments', Shipment, ShipmentPermissions.View, {
    searchable: ['shipmentReference', 'houseBillNumber', 'masterBillNumber', 'bookingReference'],
    facets: shipmentFacets,
    collections: {
      Addresses: { entity: () => ShipmentAddress, by: 'shipmentId' },
      Orders: { entity: () => Order, by: 'shipmentId' },
      Documents: { entity: () => Document, by: 'shipmentId' },
    },
  }),
  entitySet('ShipmentAddresses', ShipmentAddress, ShipmentPermissions.View, {
    searchable: ['companyName', 'city'],
  }),
  entitySet('Orders', Order, ShipmentPermissions.View, {
    searchable: ['orderNumber', 'description'],
    collections: { Documents: { entity: () => Document, by: 'orderId' } },
  }),
  entitySet('Documents', Document, DocumentPermissions.View, {
    hidden: ['blobName'],
    searchable: ['title', 'fileName'],
  }),
  entitySet('Ports', Port, PortPermissions.View, {
    searchable: ['unLocode', 'name', 'nameWoDiacritics'],
  }),
  entitySet('Countries', Country, PortPermissions.View, {
    searchable: ['code', 'name'],
    collections: { Ports: { entity: () => Port, by: 'countryId' } },
  }),
  entitySet('CodeEntities', CodeEntity, CodeEntityPermissions.View, { searchable: ['code', 'name'] }),
  entitySet('Organizations', Organization, OrganizationPermissions.View, {
    searchable: ['code', 'fullName', 'shortName'],
    collections: { Documents: { entity: () => Document, by: 'organizationId' } },
  }),
  // Who belongs to which organization is nothing that their members may read.
  entitySet('OrganizationMembers', OrganizationMember, OrganizationPermissions.AccessAll),
]

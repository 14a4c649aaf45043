import { entitySet } from '@keel/framework/data'
import {
  CarrierDto,
  CarrierPermissions,
  CodeEntityDto,
  CodeEntityPermissions,
  ConsolDto,
  ConsolLegDto,
  ConsolPermissions,
  ConsolShipmentDto,
  ContainerDto,
  ContainerPermissions,
  ContainerTypeDto,
  DangerousSubstanceDto,
  DocumentDto,
  DocumentPermissions,
  EmissionFactorDto,
  EmissionPermissions,
  HsCodeDto,
  OrderDto,
  OrderLineDto,
  OrderPermissions,
  OrderStatusHistoryDto,
  OrganizationAddressDto,
  OrganizationContactDto,
  OrganizationDto,
  OrganizationPermissions,
  PackLineDangerousGoodsDto,
  PackLineDto,
  PortDto,
  PortPermissions,
  SailingScheduleDto,
  SailingSchedulePermissions,
  ShipmentAddressDto,
  ShipmentContainerDto,
  ShipmentDto,
  ShipmentEmissionDto,
  ShipmentExceptionDto,
  ShipmentMilestoneDto,
  ShipmentNoteDto,
  ShipmentPermissions,
  ShipmentReferenceNumberDto,
  ShipmentStatusHistoryDto,
  TerminalDto,
  TrackingEventDto,
  TrackingEventPermissions,
  UnitOfMeasureDto,
  VesselDto,
} from '../contracts/index.js'
import { Carrier, Vessel } from '../domain/carrier.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Consol, ConsolLeg, ConsolShipment } from '../domain/consol.js'
import { Container, ShipmentContainer } from '../domain/container.js'
import { ContainerType } from '../domain/container-type.js'
import { Country } from '../domain/country.js'
import { DangerousSubstance } from '../domain/dangerous-substance.js'
import { Document } from '../domain/document.js'
import { EmissionFactor, ShipmentEmission } from '../domain/emission.js'
import { HsCode } from '../domain/hs-code.js'
import { Order, OrderLine, OrderStatusHistory } from '../domain/order.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { OrganizationAddress } from '../domain/organization-address.js'
import { OrganizationContact } from '../domain/organization-contact.js'
import { PackLine, PackLineDangerousGoods } from '../domain/pack-line.js'
import { Port } from '../domain/port.js'
import { SailingSchedule } from '../domain/sailing-schedule.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'
import { ShipmentException } from '../domain/shipment-exception.js'
import { ShipmentMilestone } from '../domain/shipment-milestone.js'
import { ShipmentNote } from '../domain/shipment-note.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'
import { ShipmentStatusHistory } from '../domain/shipment-status-history.js'
import { Terminal } from '../domain/terminal.js'
import { TrackingEvent } from '../domain/tracking-event.js'
import { UnitOfMeasure } from '../domain/unit-of-measure.js'
import { searchedInShipments, shipmentFacets } from './shipment-facets.js'

/** The entity sets that Hub publishes to OData. */
export const hubEntitySets = [
  entitySet('Shipments', Shipment, ShipmentPermissions.View, {
    dto: ShipmentDto,
    also: ['tenantId'],
    searchable: searchedInShipments,
    facets: shipmentFacets,
    collections: {
      Addresses: { entity: () => ShipmentAddress, by: 'shipmentId' },
      ReferenceNumbers: { entity: () => ShipmentReferenceNumber, by: 'shipmentId' },
      Milestones: { entity: () => ShipmentMilestone, by: 'shipmentId' },
      Notes: { entity: () => ShipmentNote, by: 'shipmentId' },
      Exceptions: { entity: () => ShipmentException, by: 'shipmentId' },
      StatusHistory: { entity: () => ShipmentStatusHistory, by: 'shipmentId' },
      Orders: { entity: () => Order, by: 'shipmentId' },
      Documents: { entity: () => Document, by: 'shipmentId' },
      PackLines: { entity: () => PackLine, by: 'shipmentId' },
      Containers: { entity: () => ShipmentContainer, by: 'shipmentId' },
      ConsolShipments: { entity: () => ConsolShipment, by: 'shipmentId' },
      TrackingEvents: { entity: () => TrackingEvent, by: 'shipmentId' },
      Emissions: { entity: () => ShipmentEmission, by: 'shipmentId' },
    },
  }),
  entitySet('ShipmentAddresses', ShipmentAddress, ShipmentPermissions.View, {
    dto: ShipmentAddressDto,
    also: ['shipmentId', 'creationTime', 'lastModificationTime'],
    searchable: ['companyName', 'city'],
  }),
  entitySet('ShipmentReferenceNumbers', ShipmentReferenceNumber, ShipmentPermissions.View, {
    dto: ShipmentReferenceNumberDto,
    searchable: ['value'],
  }),
  entitySet('ShipmentNotes', ShipmentNote, ShipmentPermissions.View, {
    dto: ShipmentNoteDto,
    searchable: ['subject', 'text'],
  }),
  entitySet('ShipmentMilestones', ShipmentMilestone, ShipmentPermissions.View, { dto: ShipmentMilestoneDto }),
  entitySet('ShipmentExceptions', ShipmentException, ShipmentPermissions.View, {
    dto: ShipmentExceptionDto,
    searchable: ['description'],
  }),
  entitySet('ShipmentStatusHistories', ShipmentStatusHistory, ShipmentPermissions.View, {
    dto: ShipmentStatusHistoryDto,
  }),
  entitySet('Orders', Order, OrderPermissions.View, {
    dto: OrderDto,
    searchable: ['orderNumber', 'description'],
    collections: {
      Lines: { entity: () => OrderLine, by: 'orderId' },
      StatusHistory: { entity: () => OrderStatusHistory, by: 'orderId' },
      Documents: { entity: () => Document, by: 'orderId' },
    },
  }),
  entitySet('OrderLines', OrderLine, OrderPermissions.View, {
    dto: OrderLineDto,
    searchable: ['productCode', 'description'],
  }),
  entitySet('OrderStatusHistories', OrderStatusHistory, OrderPermissions.View, {
    dto: OrderStatusHistoryDto,
  }),
  entitySet('Documents', Document, DocumentPermissions.View, {
    dto: DocumentDto,
    also: ['replacesDocumentId', 'lastModificationTime'],
    searchable: ['title', 'fileName'],
  }),
  entitySet('Ports', Port, PortPermissions.View, {
    dto: PortDto,
    also: ['countryId', 'nameWoDiacritics', 'isRailTerminal', 'isRoadTerminal', 'isInlandDepot'],
    searchable: ['unLocode', 'name', 'nameWoDiacritics'],
  }),
  entitySet('Countries', Country, PortPermissions.View, {
    also: [
      'code',
      'alpha3Code',
      'numericCode',
      'name',
      'officialName',
      'regionCode',
      'currencyCode',
      'isEuMember',
      'defaultTimeZone',
      'isActive',
    ],
    searchable: ['code', 'name'],
    collections: { Ports: { entity: () => Port, by: 'countryId' } },
  }),
  entitySet('CodeEntities', CodeEntity, CodeEntityPermissions.View, {
    dto: CodeEntityDto,
    also: ['standardCode', 'sortOrder'],
    searchable: ['code', 'name'],
  }),
  entitySet('Organizations', Organization, OrganizationPermissions.View, {
    dto: OrganizationDto,
    searchable: ['code', 'fullName', 'shortName'],
    collections: {
      Children: { entity: () => Organization, by: 'parentOrganizationId' },
      Addresses: { entity: () => OrganizationAddress, by: 'organizationId' },
      Contacts: { entity: () => OrganizationContact, by: 'organizationId' },
      Members: { entity: () => OrganizationMember, by: 'organizationId' },
      Documents: { entity: () => Document, by: 'organizationId' },
    },
  }),
  entitySet('OrganizationAddresses', OrganizationAddress, OrganizationPermissions.View, {
    dto: OrganizationAddressDto,
    searchable: ['code', 'line1', 'city', 'postalCode'],
  }),
  entitySet('OrganizationContacts', OrganizationContact, OrganizationPermissions.View, {
    dto: OrganizationContactDto,
    searchable: ['fullName', 'email', 'jobTitle'],
  }),
  // Members of an organization may not read who else is a member.
  entitySet('OrganizationMembers', OrganizationMember, OrganizationPermissions.AccessAll, {
    also: ['organizationId', 'userId', 'userName', 'accessScope', 'isDefault', 'validUntil'],
  }),
  entitySet('PackLines', PackLine, ShipmentPermissions.View, {
    dto: PackLineDto,
    searchable: ['description', 'marksAndNumbers'],
    collections: { DangerousGoods: { entity: () => PackLineDangerousGoods, by: 'packLineId' } },
  }),
  entitySet('PackLineDangerousGoods', PackLineDangerousGoods, ShipmentPermissions.View, {
    dto: PackLineDangerousGoodsDto,
    searchable: ['properShippingName'],
  }),
  entitySet('ShipmentContainers', ShipmentContainer, ShipmentPermissions.View, { dto: ShipmentContainerDto }),
  entitySet('Consols', Consol, ConsolPermissions.View, {
    dto: ConsolDto,
    searchable: ['consolNumber', 'masterBillNumber', 'bookingReference'],
    collections: {
      Legs: { entity: () => ConsolLeg, by: 'consolId' },
      Shipments: { entity: () => ConsolShipment, by: 'consolId' },
      Containers: { entity: () => Container, by: 'consolId' },
    },
  }),
  entitySet('ConsolLegs', ConsolLeg, ConsolPermissions.View, {
    dto: ConsolLegDto,
    searchable: ['voyageFlightNumber'],
  }),
  entitySet('ConsolShipments', ConsolShipment, ConsolPermissions.View, { dto: ConsolShipmentDto }),
  entitySet('Containers', Container, ContainerPermissions.View, {
    dto: ContainerDto,
    searchable: ['containerNumber', 'sealNumber'],
    collections: { ShipmentContainers: { entity: () => ShipmentContainer, by: 'containerId' } },
  }),
  entitySet('Carriers', Carrier, CarrierPermissions.View, {
    dto: CarrierDto,
    searchable: ['code', 'name', 'scacCode'],
    collections: { Vessels: { entity: () => Vessel, by: 'carrierId' } },
  }),
  entitySet('Vessels', Vessel, CarrierPermissions.View, {
    dto: VesselDto,
    searchable: ['name', 'imoNumber'],
  }),
  entitySet('SailingSchedules', SailingSchedule, SailingSchedulePermissions.View, {
    dto: SailingScheduleDto,
    searchable: ['voyageFlightNumber', 'serviceCode'],
  }),
  entitySet('TrackingEvents', TrackingEvent, TrackingEventPermissions.View, {
    dto: TrackingEventDto,
    searchable: ['eventTypeCode', 'description'],
  }),
  entitySet('ShipmentEmissions', ShipmentEmission, EmissionPermissions.View, { dto: ShipmentEmissionDto }),
  entitySet('EmissionFactors', EmissionFactor, EmissionPermissions.View, {
    dto: EmissionFactorDto,
    searchable: ['code', 'vehicleClass'],
  }),
  entitySet('Terminals', Terminal, PortPermissions.View, {
    dto: TerminalDto,
    searchable: ['code', 'name'],
  }),
  entitySet('ContainerTypes', ContainerType, CodeEntityPermissions.View, {
    dto: ContainerTypeDto,
    searchable: ['isoCode', 'alias', 'name'],
  }),
  entitySet('DangerousSubstances', DangerousSubstance, CodeEntityPermissions.View, {
    dto: DangerousSubstanceDto,
    searchable: ['unNumber', 'properShippingName'],
  }),
  entitySet('UnitsOfMeasure', UnitOfMeasure, CodeEntityPermissions.View, {
    dto: UnitOfMeasureDto,
    searchable: ['code', 'name', 'symbol'],
  }),
  entitySet('HsCodes', HsCode, CodeEntityPermissions.View, {
    dto: HsCodeDto,
    searchable: ['code', 'description'],
    collections: { Children: { entity: () => HsCode, by: 'parentId' } },
  }),
]

import { createProxy, type ProxyOf, type ProxyOptions } from '@keel/framework/client'
import {
  CarrierAppService,
  CarrierDto,
  CodeEntityAppService,
  CodeEntityDto,
  ConsolAppService,
  ConsolDto,
  ConsolLegDto,
  ConsolShipmentDto,
  ContainerAppService,
  ContainerDto,
  ContainerTypeAppService,
  ContainerTypeDto,
  DangerousSubstanceAppService,
  DangerousSubstanceDto,
  DocumentAppService,
  DocumentDto,
  EmissionFactorAppService,
  EmissionFactorDto,
  HarmonizedSystemAppService,
  HsCodeAppService,
  HsCodeDto,
  Hub,
  Iso3166AppService,
  OrderAppService,
  OrderDto,
  OrderLineDto,
  OrderStatusHistoryDto,
  OrganizationAddressAppService,
  OrganizationAddressDto,
  OrganizationAppService,
  OrganizationContactAppService,
  OrganizationContactDto,
  OrganizationDto,
  OrganizationInvitationAppService,
  OrganizationMemberAppService,
  PackLineAppService,
  PackLineDangerousGoodsAppService,
  PackLineDangerousGoodsDto,
  PackLineDto,
  PortAppService,
  PortDto,
  SailingScheduleAppService,
  SailingScheduleDto,
  SearchAppService,
  ShipmentAddressDto,
  ShipmentAppService,
  ShipmentContainerAppService,
  ShipmentContainerDto,
  ShipmentDto,
  ShipmentEmissionAppService,
  ShipmentEmissionDto,
  ShipmentExceptionAppService,
  ShipmentExceptionDto,
  ShipmentMilestoneAppService,
  ShipmentMilestoneDto,
  ShipmentNoteAppService,
  ShipmentNoteDto,
  ShipmentReferenceNumberAppService,
  ShipmentReferenceNumberDto,
  ShipmentStatusHistoryAppService,
  ShipmentStatusHistoryDto,
  TerminalAppService,
  TerminalDto,
  TrackingEventAppService,
  TrackingEventDto,
  UnitOfMeasureAppService,
  UnitOfMeasureDto,
  UnLocodeAppService,
  VesselAppService,
  VesselDto,
  WebhookAppService,
  WebhookDeliveryAppService,
} from '@keel/hub/contracts'
import { CountryRow, OrganizationMemberRow } from './rows.js'

export * from '@keel/framework/client'
export { ImportDto, ImportErrors, ImportFaultDto, ImportStatus } from '@keel/framework/contracts'
export * from '@keel/hub/contracts'
export * from './rows.js'

/** The members of Hub's proxy: services, and the entity sets of the same names to query (`/odata`). */
export const hubMembers = {
  shipments: { service: ShipmentAppService, rows: ShipmentDto },
  shipmentAddresses: { rows: ShipmentAddressDto },
  shipmentReferenceNumbers: { service: ShipmentReferenceNumberAppService, rows: ShipmentReferenceNumberDto },
  shipmentMilestones: { service: ShipmentMilestoneAppService, rows: ShipmentMilestoneDto },
  shipmentNotes: { service: ShipmentNoteAppService, rows: ShipmentNoteDto },
  shipmentExceptions: { service: ShipmentExceptionAppService, rows: ShipmentExceptionDto },
  shipmentStatusHistories: { service: ShipmentStatusHistoryAppService, rows: ShipmentStatusHistoryDto },
  orders: { service: OrderAppService, rows: OrderDto },
  orderLines: { rows: OrderLineDto },
  orderStatusHistories: { rows: OrderStatusHistoryDto },
  documents: { service: DocumentAppService, rows: DocumentDto },
  ports: { service: PortAppService, rows: PortDto },
  countries: { rows: CountryRow },
  codeEntities: { service: CodeEntityAppService, rows: CodeEntityDto },
  organizations: { service: OrganizationAppService, rows: OrganizationDto },
  organizationAddresses: { service: OrganizationAddressAppService, rows: OrganizationAddressDto },
  organizationContacts: { service: OrganizationContactAppService, rows: OrganizationContactDto },
  packLines: { service: PackLineAppService, rows: PackLineDto },
  packLineDangerousGoods: { service: PackLineDangerousGoodsAppService, rows: PackLineDangerousGoodsDto },
  shipmentContainers: { service: ShipmentContainerAppService, rows: ShipmentContainerDto },
  consols: { service: ConsolAppService, rows: ConsolDto },
  consolLegs: { rows: ConsolLegDto },
  consolShipments: { rows: ConsolShipmentDto },
  containers: { service: ContainerAppService, rows: ContainerDto },
  carriers: { service: CarrierAppService, rows: CarrierDto },
  vessels: { service: VesselAppService, rows: VesselDto },
  sailingSchedules: { service: SailingScheduleAppService, rows: SailingScheduleDto },
  trackingEvents: { service: TrackingEventAppService, rows: TrackingEventDto },
  shipmentEmissions: { service: ShipmentEmissionAppService, rows: ShipmentEmissionDto },
  emissionFactors: { service: EmissionFactorAppService, rows: EmissionFactorDto },
  terminals: { service: TerminalAppService, rows: TerminalDto },
  containerTypes: { service: ContainerTypeAppService, rows: ContainerTypeDto },
  dangerousSubstances: { service: DangerousSubstanceAppService, rows: DangerousSubstanceDto },
  unitsOfMeasure: { service: UnitOfMeasureAppService, rows: UnitOfMeasureDto },
  hsCodes: { service: HsCodeAppService, rows: HsCodeDto },
  organizationMembers: { service: OrganizationMemberAppService, rows: OrganizationMemberRow },
  organizationInvitations: { service: OrganizationInvitationAppService },
  webhooks: { service: WebhookAppService },
  webhookDeliveries: { service: WebhookDeliveryAppService },
  search: { service: SearchAppService },
  unLocode: { service: UnLocodeAppService },
  iso3166: { service: Iso3166AppService },
  harmonizedSystem: { service: HarmonizedSystemAppService },
} as const

/** The services of Hub as clients, and its entity sets to query. */
export type HubProxy = ProxyOf<typeof hubMembers>

/**
 * Clients of Hub, the remote service `Hub`. Throws when `options` give no address.
 * @example
 * const hub = createHubProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const page = await hub.shipments.getList({ maxResultCount: 50, includeFacets: true })
 * const booked = await hub.shipments.query((q) =>
 *   q.filter((s) => s.status.eq(ShipmentStatus.Booked)).expand('documents').top(50),
 * )
 */
export function createHubProxy(options: ProxyOptions): HubProxy {
  return createProxy(Hub, hubMembers, options)
}

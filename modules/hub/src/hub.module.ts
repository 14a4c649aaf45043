import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { BlobsModule } from '@keel/framework/blobs'
import { CachingModule } from '@keel/framework/caching'
import { permissionsIn } from '@keel/framework/contracts'
import { DataModule } from '@keel/framework/data'
import { EventsModule } from '@keel/framework/events'
import { ImportsModule } from '@keel/framework/imports'
import { DataProtectionModule } from '@keel/framework/security'
import { StoredSettingsModule } from '@keel/setting-management/stored'
import { CarrierService, VesselService } from './application/carrier-service.js'
import { CodeEntityService } from './application/code-entity-service.js'
import { ConsolService } from './application/consol-service.js'
import { ContainerService, ShipmentContainerService } from './application/container-service.js'
import { ContainerTypeService } from './application/container-type-service.js'
import { DangerousSubstanceService } from './application/dangerous-substance-service.js'
import { DocumentArchives } from './application/document-archives.js'
import { DocumentLifecycle } from './application/document-lifecycle.js'
import { DocumentPreviews, PreviewSettings } from './application/document-previews.js'
import { DocumentRules } from './application/document-rules.js'
import { DocumentScans } from './application/document-scans.js'
import { DocumentService } from './application/document-service.js'
import { DocumentUpkeep } from './application/document-upkeep.js'
import { EmissionFactorService, ShipmentEmissionService } from './application/emission-service.js'
import { hubEntitySets } from './application/entity-sets.js'
import { HarmonizedSystemService } from './application/harmonized-system-service.js'
import { HsCodeRules } from './application/hs-code-rules.js'
import { HsCodeService } from './application/hs-code-service.js'
import { HubSettingsService } from './application/hub-settings-service.js'
import { InvitedMembers } from './application/invited-members.js'
import { Iso3166Service } from './application/iso-3166-service.js'
import { MemberRules } from './application/member-rules.js'
import { MembershipUpkeep } from './application/membership-upkeep.js'
import { NewShipments } from './application/new-shipments.js'
import { OrderLifecycle } from './application/order-lifecycle.js'
import { OrderRules } from './application/order-rules.js'
import { OrderService } from './application/order-service.js'
import { OrganizationAddressService } from './application/organization-address-service.js'
import { OrganizationContactService } from './application/organization-contact-service.js'
import { OrganizationInvitationService } from './application/organization-invitation-service.js'
import { OrganizationMemberService } from './application/organization-member-service.js'
import { OrganizationParents } from './application/organization-parents.js'
import { OrganizationService } from './application/organization-service.js'
import { PackLineDangerousGoodsService, PackLineService } from './application/pack-line-service.js'
import { PortService } from './application/port-service.js'
import { SailingScheduleService } from './application/sailing-schedule-service.js'
import { SearchService } from './application/search-service.js'
import { ShipmentCharges } from './application/shipment-charges.js'
import { ShipmentDelays } from './application/shipment-delays.js'
import { ShipmentEmissions } from './application/shipment-emissions.js'
import { ShipmentExceptionEvents } from './application/shipment-exception-events.js'
import { ShipmentExceptionService } from './application/shipment-exception-service.js'
import { ShipmentImport } from './application/shipment-import.js'
import { ShipmentLifecycle } from './application/shipment-lifecycle.js'
import { ShipmentMilestoneService } from './application/shipment-milestone-service.js'
import { ShipmentMilestones } from './application/shipment-milestones.js'
import { ShipmentNoteService } from './application/shipment-note-service.js'
import { ShipmentParents } from './application/shipment-parents.js'
import { ShipmentReferenceNumberService } from './application/shipment-reference-number-service.js'
import { ShipmentRequests } from './application/shipment-requests.js'
import { ShipmentRouting } from './application/shipment-routing.js'
import { ShipmentRules } from './application/shipment-rules.js'
import { ShipmentService } from './application/shipment-service.js'
import { ShipmentStatusHistoryService } from './application/shipment-status-history-service.js'
import { ShipmentTotals } from './application/shipment-totals.js'
import { TerminalService } from './application/terminal-service.js'
import { TrackingEventService } from './application/tracking-event-service.js'
import { TrackingIntake } from './application/tracking-intake.js'
import { UnLocodeService } from './application/un-locode-service.js'
import { UnitOfMeasureService } from './application/unit-of-measure-service.js'
import { Upserts } from './application/upserts.js'
import { WebhookDeliveryService } from './application/webhook-delivery-service.js'
import { WebhookIntake } from './application/webhook-intake.js'
import { WebhookOwners } from './application/webhook-owners.js'
import { WebhookPayloads } from './application/webhook-payloads.js'
import { WebhookSecrets } from './application/webhook-secrets.js'
import { WebhookSender } from './application/webhook-sender.js'
import { WebhookService } from './application/webhook-service.js'
import * as contracts from './contracts/index.js'
import { Carrier, Vessel } from './domain/carrier.js'
import { CodeEntity } from './domain/code-entity.js'
import { Consol, ConsolLeg, ConsolShipment } from './domain/consol.js'
import { Container, ShipmentContainer } from './domain/container.js'
import { ContainerType } from './domain/container-type.js'
import { Country } from './domain/country.js'
import { DangerousSubstance } from './domain/dangerous-substance.js'
import { Document } from './domain/document.js'
import { EmissionFactor, ShipmentEmission } from './domain/emission.js'
import { HsCode } from './domain/hs-code.js'
import { Order, OrderLine, OrderStatusHistory } from './domain/order.js'
import { Organization, OrganizationMember } from './domain/organization.js'
import { OrganizationAddress } from './domain/organization-address.js'
import { OrganizationContact } from './domain/organization-contact.js'
import { PackLine, PackLineDangerousGoods } from './domain/pack-line.js'
import { hubPersonalData } from './domain/personal-data.js'
import { Port } from './domain/port.js'
import { SailingSchedule } from './domain/sailing-schedule.js'
import { Shipment, ShipmentAddress } from './domain/shipment.js'
import { ShipmentException } from './domain/shipment-exception.js'
import { ShipmentMilestone } from './domain/shipment-milestone.js'
import { ShipmentNote } from './domain/shipment-note.js'
import { ShipmentOpenCharges } from './domain/shipment-open-charges.js'
import { ShipmentReferenceNumber } from './domain/shipment-reference-number.js'
import { ShipmentStatusHistory } from './domain/shipment-status-history.js'
import { Terminal } from './domain/terminal.js'
import { TrackingEvent } from './domain/tracking-event.js'
import { UnitOfMeasure } from './domain/unit-of-measure.js'
import { Webhook, WebhookDelivery } from './domain/webhook.js'
import {
  ConsolLegStore,
  ConsolShipmentStore,
  ConsolStore,
  ContainerStore,
  ShipmentContainerStore,
} from './persistence/consol-stores.js'
import { DeletedRowsPurge } from './persistence/deleted-rows-purge.js'
import { HubDemoSeeder } from './persistence/demo/hub-demo-seeder.js'
import { DocumentFiles } from './persistence/document-files.js'
import { EmissionFactorStore, ShipmentEmissionStore } from './persistence/emission-stores.js'
import { HsCodeStore } from './persistence/hs-code-store.js'
import { KnownParties } from './persistence/known-parties.js'
import {
  CallerNotes,
  CallerOrganizations,
  Memberships,
  OrganizationClaims,
  OrganizationDataScope,
  OrganizationFocus,
} from './persistence/memberships.js'
import { NewDocuments } from './persistence/new-documents.js'
import { OrganizationHierarchy } from './persistence/organization-hierarchy.js'
import { OrganizationMerge } from './persistence/organization-merge.js'
import { PackLineDangerousGoodsStore, PackLineStore } from './persistence/pack-line-stores.js'
import { PastMergeSeeder } from './persistence/past-merge-seeder.js'
import { ReadersDiagnosis } from './persistence/readers-diagnosis.js'
import { ReferenceDataSeeder } from './persistence/reference-data-seeder.js'
import { SearchHits } from './persistence/search-hits.js'
import { ShipmentChildren } from './persistence/shipment-children.js'
import { ShipmentOpenChargesStore } from './persistence/shipment-open-charges.js'
import { ShipmentStatistics } from './persistence/shipment-statistics.js'
import { ShipmentTimeline } from './persistence/shipment-timeline.js'
import {
  DocumentStore,
  OrderLineStore,
  OrderStatusHistoryStore,
  OrderStore,
  OrganizationAddressStore,
  OrganizationContactStore,
  OrganizationMemberStore,
  OrganizationStore,
  ShipmentAddressStore,
  ShipmentMilestoneStore,
  ShipmentReferenceNumberStore,
  ShipmentStatusHistoryStore,
  ShipmentStore,
} from './persistence/stores.js'
import { TrackingEventStore } from './persistence/tracking-stores.js'
import { UnitOfMeasureStore } from './persistence/unit-of-measure-store.js'
import { WebhookDeliveryStore, WebhookStore } from './persistence/webhook-stores.js'

/** Shipments, documents, ports, code entities and organizations. */
@Module({
  dependsOn: [
    DataModule,
    DataProtectionModule,
    CachingModule,
    EventsModule,
    BlobsModule,
    ImportsModule,
    StoredSettingsModule,
  ],
  database: 'Hub',
  configuration: [PreviewSettings],
  entities: [
    Country,
    Port,
    CodeEntity,
    Organization,
    OrganizationMember,
    OrganizationAddress,
    OrganizationContact,
    Shipment,
    ShipmentAddress,
    ShipmentReferenceNumber,
    ShipmentMilestone,
    ShipmentNote,
    ShipmentException,
    ShipmentOpenCharges,
    ShipmentStatusHistory,
    Order,
    OrderLine,
    OrderStatusHistory,
    Document,
    Carrier,
    Vessel,
    Terminal,
    ContainerType,
    DangerousSubstance,
    UnitOfMeasure,
    HsCode,
    SailingSchedule,
    Consol,
    ConsolLeg,
    ConsolShipment,
    Container,
    ShipmentContainer,
    PackLine,
    PackLineDangerousGoods,
    TrackingEvent,
    EmissionFactor,
    ShipmentEmission,
    Webhook,
    WebhookDelivery,
  ],
  personalData: hubPersonalData,
  services: [
    ShipmentService,
    PortService,
    UnLocodeService,
    Iso3166Service,
    CodeEntityService,
    OrganizationService,
    OrganizationMemberService,
    OrganizationInvitationService,
    InvitedMembers,
    MemberRules,
    OrganizationHierarchy,
    OrganizationMerge,
    OrganizationParents,
    OrganizationAddressService,
    OrganizationAddressStore,
    OrganizationContactService,
    OrganizationContactStore,
    DocumentService,
    DocumentRules,
    DocumentLifecycle,
    DocumentScans,
    DocumentUpkeep,
    DocumentArchives,
    DocumentPreviews,
    HubSettingsService,
    DocumentFiles,
    DeletedRowsPurge,
    DocumentStore,
    OrderStore,
    OrderLineStore,
    OrderStatusHistoryStore,
    OrderLifecycle,
    OrderRules,
    OrderService,
    OrganizationStore,
    OrganizationMemberStore,
    MembershipUpkeep,
    Memberships,
    KnownParties,
    ShipmentRequests,
    ShipmentCharges,
    ShipmentOpenChargesStore,
    ShipmentRules,
    ShipmentLifecycle,
    ShipmentDelays,
    ShipmentImport,
    NewShipments,
    ShipmentParents,
    ShipmentChildren,
    ShipmentReferenceNumberService,
    ShipmentReferenceNumberStore,
    ShipmentNoteService,
    ShipmentMilestoneService,
    ShipmentMilestoneStore,
    ShipmentMilestones,
    ShipmentTimeline,
    ShipmentStatistics,
    CallerNotes,
    ShipmentExceptionService,
    ShipmentExceptionEvents,
    ShipmentStatusHistoryService,
    ShipmentStatusHistoryStore,
    OrganizationClaims,
    CallerOrganizations,
    OrganizationDataScope,
    OrganizationFocus,
    NewDocuments,
    ShipmentStore,
    ShipmentAddressStore,
    CarrierService,
    VesselService,
    TerminalService,
    ContainerTypeService,
    DangerousSubstanceService,
    UnitOfMeasureService,
    UnitOfMeasureStore,
    HsCodeService,
    HsCodeStore,
    HsCodeRules,
    HarmonizedSystemService,
    SailingScheduleService,
    ConsolService,
    ConsolStore,
    ConsolLegStore,
    ConsolShipmentStore,
    ContainerService,
    ContainerStore,
    ShipmentContainerService,
    ShipmentContainerStore,
    ShipmentRouting,
    ShipmentTotals,
    PackLineService,
    PackLineStore,
    PackLineDangerousGoodsService,
    PackLineDangerousGoodsStore,
    TrackingEventService,
    TrackingEventStore,
    TrackingIntake,
    EmissionFactorService,
    ShipmentEmissionService,
    ShipmentEmissions,
    ShipmentEmissionStore,
    EmissionFactorStore,
    SearchService,
    SearchHits,
    Upserts,
    WebhookService,
    WebhookDeliveryService,
    WebhookStore,
    WebhookDeliveryStore,
    WebhookSecrets,
    WebhookOwners,
    WebhookIntake,
    WebhookPayloads,
    WebhookSender,
  ],
  permissions: permissionsIn(contracts),
  settings: Object.values(contracts.HubSettings),
  features: Object.values(contracts.HubFeatures),
  events: [
    ...contracts.shipmentEvents,
    ...contracts.organizationEvents,
    ...contracts.portEvents,
    ...contracts.orderEvents,
    ...contracts.consolEvents,
    ...contracts.documentEvents,
    contracts.WebhookStoppedEto,
  ],
  odata: hubEntitySets,
  seeds: [ReferenceDataSeeder, PastMergeSeeder, HubDemoSeeder],
  diagnoses: [ReadersDiagnosis],
  schema: new URL('../schema/', import.meta.url),
  localization: new URL('../localization/', import.meta.url),
})
export class HubModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    application.onReady(async () => application.get(WebhookSender).start())
    application.onStopping(() => application.get(WebhookSender).stop())
  }
}

import { remoteService } from '@keel/framework/contracts'

/** The Hub module's remote service: routes under `/api/hub`. */
export const Hub = remoteService('Hub', 'hub')

/** The codes of Hub's domain errors. */
export const HubErrors = {
  ShipmentReferenceAlreadyExists: 'Hub:Shipment:ReferenceAlreadyExists',
  ShipmentExternalIdAlreadyExists: 'Hub:Shipment:ExternalIdAlreadyExists',
  ShipmentInvalidStatusTransition: 'Hub:Shipment:InvalidStatusTransition',
  MissingForBooking: 'Hub:Shipment:MissingForBooking',
  MissingForConfirmation: 'Hub:Shipment:MissingForConfirmation',
  ArrivalBeforeDeparture: 'Hub:Shipment:ArrivalBeforeDeparture',
  DeliveryBeforeArrival: 'Hub:Shipment:DeliveryBeforeArrival',
  ShipmentOnHold: 'Hub:Shipment:OnHold',
  ActualTimeInFuture: 'Hub:Shipment:ActualTimeInFuture',
  PodRequired: 'Hub:Shipment:PodRequired',
  ShipmentNotEditable: 'Hub:Shipment:NotEditable',
  UnknownFilterField: 'Hub:Shipment:UnknownFilterField',
  ContainerModeNotValidForMode: 'Hub:Shipment:ContainerModeNotValidForMode',
  WrongCodeEntityType: 'Hub:CodeEntity:WrongType',
  CodeEntityAlreadyExists: 'Hub:CodeEntity:AlreadyExists',
  CodeEntityInUse: 'Hub:CodeEntity:InUse',
  DuplicateAddressRole: 'Hub:Address:DuplicateRole',
  OrganizationNotAccessible: 'Hub:Address:OrganizationNotAccessible',
  OrganizationCodeAlreadyExists: 'Hub:Organization:CodeAlreadyExists',
  OrganizationExternalIdAlreadyExists: 'Hub:Organization:ExternalIdAlreadyExists',
  OrganizationHierarchyCycle: 'Hub:Organization:HierarchyCycle',
  OrganizationTooDeep: 'Hub:Organization:TooDeep',
  OrganizationInUse: 'Hub:Organization:InUse',
  AlreadyMember: 'Hub:Member:AlreadyMember',
  LastAdministrator: 'Hub:Member:LastAdministrator',
  PortCodeAlreadyExists: 'Hub:Port:CodeAlreadyExists',
  DocumentDuplicateContent: 'Hub:Document:DuplicateContent',
  DocumentParentRequired: 'Hub:Document:ParentRequired',
  DocumentTypeNotAllowed: 'Hub:Document:TypeNotAllowed',
  DocumentEmpty: 'Hub:Document:Empty',
  DocumentFileTooLarge: 'Hub:Document:FileTooLarge',
  DocumentQuarantined: 'Hub:Document:Quarantined',
  DocumentContentMissing: 'Hub:Document:ContentMissing',
  DocumentInvalidStatusTransition: 'Hub:Document:InvalidStatusTransition',
} as const

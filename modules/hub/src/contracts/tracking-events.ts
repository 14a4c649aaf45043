import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  guid,
  id,
  instant,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { EmptyIndicator, EventCategory, EventClassifier, EventSource } from './enumerations.js'
import { Hub } from './hub.js'
import { PortDto } from './ports.js'
import { OfShipmentListInput } from './shipment-children.js'
import { facilityTypes } from './terminals.js'

/** The types of events that each category has (DCSA). */
export const eventTypes: Readonly<Record<EventCategory, readonly string[]>> = {
  [EventCategory.Shipment]:
    'RECE DRFT PENA PENU PENC REJE APPR ISSU SURR SUBM VOID CONF REQS CMPL HOLD RELS CANC'.split(' '),
  [EventCategory.Transport]: ['ARRI', 'DEPA'],
  [EventCategory.Equipment]: 'LOAD DISC GTIN GTOT STUF STRP PICK DROP INSP RSEA RMVD'.split(' '),
}

/** The types of documents that events are about (DCSA). */
export const eventDocumentTypes = [
  ...(['BKG', 'SHI', 'VGM', 'SRM', 'TRD', 'ARN', 'CAS', 'CUS', 'DGD', 'OOG', 'CBR'] as const),
] as const

const fields = {
  eventCategory: enumeration('EventCategory', EventCategory),

  /**
   * The type by DCSA, one of its category.
   * @example DEPA
   */
  eventTypeCode: z.string().regex(/^[A-Z]{4}$/, 'Hub:Validation:EventTypeCode'),
  classifier: enumeration('EventClassifier', EventClassifier),

  /** When it happens, happened, or is expected. */
  eventTime: instant(),
  facilityTypeCode: z.enum(facilityTypes).nullish(),
  documentTypeCode: z.enum(eventDocumentTypes).nullish(),
  emptyIndicator: enumeration('EmptyIndicator', EmptyIndicator).nullish(),
  terminalId: guid().nullish(),
  vesselId: guid().nullish(),
  voyageFlightNumber: z.string().trim().max(20).nullish(),
  delayReasonCode: z.string().trim().max(10).nullish(),
  description: z.string().trim().max(256).nullish(),

  /** The id that its sender gave it: an event that came before is not taken again. */
  externalEventId: z.string().trim().min(1).max(100).nullish(),
}

/** An event of track and trace of a shipment. */
export class TrackingEventDto extends EntityDto({
  shipmentId: guid(),
  ...fields,

  /** When its sender wrote it. */
  eventCreatedTime: instant(),
  consolLegId: guid().nullish(),
  containerId: guid().nullish(),
  portId: guid().nullish(),
  port: PortDto.schema.nullish(),
  source: enumeration('EventSource', EventSource),
  creationTime: instant(),
}) {}

/** An event as it is reported. It is about the shipments with a reference, with a master bill, or with cargo in a container: name one of these. */
export class CreateTrackingEventDto extends Dto({
  ...fields,
  shipmentId: guid().nullish(),
  shipmentReference: z.string().trim().max(100).nullish(),
  masterBillNumber: z.string().trim().max(35).nullish(),
  containerNumber: z.string().trim().toUpperCase().max(11).nullish(),

  /** When its sender wrote it; now when not given. Of two events on one thing the later one counts. */
  eventCreatedTime: instant().nullish(),

  /**
   * UN/LOCODE of the place.
   * @example NLRTM
   */
  unLocode: z.string().trim().toUpperCase().length(5).nullish(),

  /** How it came; when not given, by a program for an API key, else by hand. Events entered by hand do not move the shipment. */
  source: enumeration('EventSource', EventSource).nullish(),
}) {}

/** The most events of one call. */
export const mostEvents = 500

/** Events that are reported together. */
export class CreateTrackingEventsDto extends Dto({
  events: z.array(CreateTrackingEventDto.schema).min(1).max(mostEvents),
}) {}

/** An event that was not taken. */
export class RejectedEventDto extends Dto({
  /** Its place in the call, from 0 on. */
  index: z.int(),
  code: z.string(),

  /** The reason in the caller's language. */
  message: z.string(),
}) {}

/** What became of the events of a call. */
export class TrackingIntakeDto extends Dto({
  accepted: z.int(),

  /** How many had come before. */
  duplicates: z.int(),
  rejected: z.array(RejectedEventDto.schema),
}) {}

/** A page of events. */
export const TrackingEventPage = pageOf(TrackingEventDto)
/** A page of events. */
export type TrackingEventPage = InstanceType<typeof TrackingEventPage>

/** Track and trace in DCSA's vocabulary. Events move milestones, dates and the status of shipments, in whatever order they come. */
export abstract class TrackingEventAppService extends AppService(Hub, 'TrackingEventAppService', {
  /** Gets an event. */
  get: op(id).returns(TrackingEventDto),
  /** Lists the events of a shipment. */
  getList: op(OfShipmentListInput).returns(TrackingEventPage),
  /** Takes an event. Refuses one about a shipment that is not known. */
  create: op(CreateTrackingEventDto).returns(TrackingIntakeDto),
  /** Takes up to 500 events: those that can be taken, in one unit of work. The answer names the others. */
  createMany: op(CreateTrackingEventsDto).returns(TrackingIntakeDto).at('POST', 'many'),
}) {}

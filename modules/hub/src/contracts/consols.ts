import {
  AppService,
  crud,
  Dto,
  EntityDto,
  enumeration,
  FilteredPagedInput,
  guid,
  id,
  instant,
  listOf,
  op,
  ownFields,
  param,
  z,
} from '@keel/framework/contracts'
import { ReasonDto, stamp } from './actions.js'
import { CarrierDto, VesselDto } from './carriers.js'
import { CodeEntityDto } from './code-entities.js'
import { ConsolStatus, ConsolType, LegType, PaymentTerm } from './enumerations.js'
import { Hub } from './hub.js'
import { OrganizationRefDto } from './organizations.js'
import { PortDto } from './ports.js'
import { TerminalDto } from './terminals.js'

const fields = {
  transportModeId: guid(),
  containerModeId: guid().nullish(),
  consolType: enumeration('ConsolType', ConsolType),

  /** Of air consols the air waybill with its check digit. */
  masterBillNumber: z.string().trim().max(35).nullish(),
  bookingReference: z.string().trim().max(35).nullish(),
  carrierId: guid().nullish(),
  sendingAgentId: guid().nullish(),
  receivingAgentId: guid().nullish(),

  /** Until when shipments may join. */
  cargoCutOff: instant().nullish(),
  documentCutOff: instant().nullish(),

  /** Until when verified gross masses are taken. */
  vgmCutOff: instant().nullish(),
  paymentTerm: enumeration('PaymentTerm', PaymentTerm).optional(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Hub.Consol'),
}

/** A consolidation: shipments that travel together under one master bill. Ports and dates are those of its legs. */
export class ConsolDto extends EntityDto({
  /** `C` and eight digits. */
  consolNumber: z.string(),
  status: enumeration('ConsolStatus', ConsolStatus),
  ...fields,
  transportMode: CodeEntityDto.schema.nullish(),
  carrier: CarrierDto.schema.nullish(),
  sendingAgent: OrganizationRefDto.schema.nullish(),
  receivingAgent: OrganizationRefDto.schema.nullish(),
  firstLoadPortId: guid().nullish(),
  firstLoadPort: PortDto.schema.nullish(),
  lastDischargePortId: guid().nullish(),
  lastDischargePort: PortDto.schema.nullish(),
  estimatedDeparture: instant().nullish(),
  estimatedArrival: instant().nullish(),
  actualDeparture: instant().nullish(),
  actualArrival: instant().nullish(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for creating a consol. */
export class CreateConsolDto extends Dto(fields) {}

/** The input for changing a consol: absent members stay, null clears. */
export class UpdateConsolDto extends Dto({ ...Dto(fields).schema.partial().shape, ...stamp }) {}

/** The input of the list of consols. */
export class ConsolListInput extends Dto({
  ...FilteredPagedInput.shape,
  status: enumeration('ConsolStatus', ConsolStatus).nullish(),
  carrierId: guid().nullish(),
}) {}

const legFields = {
  legType: enumeration('LegType', LegType),
  transportModeId: guid(),
  departurePortId: guid(),

  /** Another port than that of the departure. The next leg departs from it. */
  arrivalPortId: guid(),
  departureTerminalId: guid().nullish(),
  arrivalTerminalId: guid().nullish(),
  carrierId: guid().nullish(),
  vesselId: guid().nullish(),
  voyageFlightNumber: z.string().trim().max(20).nullish(),

  /** The departure that was booked: dates that are not given are those of it. */
  sailingScheduleId: guid().nullish(),
  estimatedDeparture: instant().nullish(),
  estimatedArrival: instant().nullish(),
  actualDeparture: instant().nullish(),
  actualArrival: instant().nullish(),

  /** km; computed for emissions when not given. */
  distanceKm: z.number().positive().max(100_000).nullish(),
}

/** One carriage between two ports. */
export class ConsolLegDto extends EntityDto({
  consolId: guid(),

  /** The place of the leg on the way, from 1 on. */
  legNumber: z.int(),
  ...legFields,
  departurePort: PortDto.schema.nullish(),
  arrivalPort: PortDto.schema.nullish(),
  departureTerminal: TerminalDto.schema.nullish(),
  arrivalTerminal: TerminalDto.schema.nullish(),
  carrier: CarrierDto.schema.nullish(),
  vessel: VesselDto.schema.nullish(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** A leg as it is written; its number is its place in the list. */
export class ConsolLegInput extends Dto(legFields) {}

/** All legs of a consol from now on, in the order of the journey. */
export class SetLegsDto extends Dto({ legs: z.array(ConsolLegInput.schema).max(20), ...stamp }) {}

/** A shipment on a consol. */
export class ConsolShipmentDto extends EntityDto({
  consolId: guid(),
  shipmentId: guid(),

  /** The place of the consol on the way of the shipment. */
  sequence: z.int(),
  creationTime: instant(),
}) {}

/** The shipment that joins a consol. */
export class AddShipmentDto extends Dto({
  shipmentId: guid(),

  /** The place of the consol on the way of the shipment; behind its other consols when not given. */
  sequence: z.int().min(1).max(100).optional(),
  ...stamp,
}) {}

/** The input of an action of a consol. */
export class ConsolActionDto extends Dto(stamp) {}

/** The input for booking a consol with the carrier. */
export class BookConsolDto extends Dto({ bookingReference: z.string().trim().min(1).max(35), ...stamp }) {}

/** The input for the departure and the arrival of a consol. */
export class ConsolTimeDto extends Dto({
  /** Now when not given; at most 24 hours ahead. */
  actualTime: instant().nullish(),
  ...stamp,
}) {}

/** Consolidations. Customers see those that carry their shipments, and of the shipments on them only their own. */
export abstract class ConsolAppService extends AppService(Hub, 'ConsolAppService', {
  ...crud(ConsolDto, CreateConsolDto, UpdateConsolDto, ConsolListInput),
  /** Lists the legs of a consol in the order of the journey. */
  getLegs: op(id).returns(listOf(ConsolLegDto)),
  /** Replaces the legs of a consol. Ports and dates of its shipments follow, unless their routing is overridden. */
  setLegs: op(id, SetLegsDto).returns(listOf(ConsolLegDto)).at('POST', '{id}/set-legs'),
  /** Lists the shipments on a consol that the caller sees. */
  getShipments: op(id).returns(listOf(ConsolShipmentDto)),
  /** Puts a shipment of the same transport mode on a consol, before the cargo cut-off. */
  addShipment: op(id, AddShipmentDto).returns(ConsolShipmentDto).at('POST', '{id}/shipment'),
  /** Takes a shipment from a consol that has not departed. */
  removeShipment: op(param('id', guid()), param('shipmentId', guid())).at('DELETE', 'shipment'),
  /** Books a consol that has legs and a carrier. */
  book: op(id, BookConsolDto).returns(ConsolDto),
  /** Closes a booked consol that has shipments and a master bill: none may join any more. */
  close: op(id, ConsolActionDto).returns(ConsolDto),
  /** Records the departure on the first leg: its confirmed shipments depart. */
  depart: op(id, ConsolTimeDto).returns(ConsolDto),
  /** Records the arrival on the last leg: shipments that travel on no further consol arrive. */
  arrive: op(id, ConsolTimeDto).returns(ConsolDto),
  /** Completes an arrived consol whose containers have left the terminal. */
  complete: op(id, ConsolActionDto).returns(ConsolDto),
  /** Cancels a consol whose shipments are not beyond confirmation, and takes them from it. */
  cancel: op(id, ReasonDto).returns(ConsolDto),
}) {}

import {
  AppService,
  crud,
  Dto,
  EntityDto,
  FilteredPagedInput,
  guid,
  id,
  instant,
  op,
  z,
} from '@keel/framework/contracts'
import { ReasonDto } from './actions.js'
import { CarrierDto, VesselDto } from './carriers.js'
import { Hub } from './hub.js'
import { PortDto } from './ports.js'

const fields = {
  carrierId: guid(),
  transportModeId: guid(),

  /** The name of the service, as the carrier calls it. */
  serviceCode: z.string().trim().max(20).nullish(),
  vesselId: guid().nullish(),
  voyageFlightNumber: z.string().trim().min(1).max(20),
  departurePortId: guid(),
  arrivalPortId: guid(),
  estimatedDeparture: instant(),

  /** Later than the departure. */
  estimatedArrival: instant(),
  transshipmentCount: z.int().min(0).max(5).default(0),

  /** Until when cargo is taken. */
  cargoCutOff: instant().nullish(),
  documentCutOff: instant().nullish(),

  /** Until when verified gross masses are taken. */
  vgmCutOff: instant().nullish(),
}

/** A departure of a ship, an aircraft or a train that can be booked. */
export class SailingScheduleDto extends EntityDto({
  ...fields,
  carrier: CarrierDto.schema.nullish(),
  vessel: VesselDto.schema.nullish(),
  departurePort: PortDto.schema.nullish(),
  arrivalPort: PortDto.schema.nullish(),

  /** Days from departure to arrival, rounded up. */
  transitDays: z.int(),

  /** True when the carrier leaves it out. */
  isCancelled: z.boolean(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** The input for creating a departure. */
export class CreateSailingScheduleDto extends Dto(fields) {}

/** The input for changing a departure: absent members stay. */
export class UpdateSailingScheduleDto extends Dto({
  ...Dto(fields).schema.partial().shape,
  transshipmentCount: z.int().min(0).max(5).optional(),

  /**
   * False brings back a departure that was cancelled; exceptions of shipments stay until they are resolved. True leaves a cancelled one as it is: others
   * are cancelled by `cancelSailing`.
   */
  isCancelled: z.boolean().optional(),
}) {}

/** The input of the list of departures. */
export class SailingScheduleListInput extends Dto({
  ...FilteredPagedInput.shape,
  carrierId: guid().nullish(),
  departurePortId: guid().nullish(),
  arrivalPortId: guid().nullish(),

  /** Only departures at this time or later. */
  departFrom: instant().nullish(),

  /** Only departures before this time. */
  departBefore: instant().nullish(),
}) {}

/** The input of the search for departures between two ports. */
export class SearchSailingsInput extends Dto({
  departurePortId: guid(),
  arrivalPortId: guid(),

  /** The departures in a period of at most 400 days. */
  departFrom: instant(),
  departTo: instant(),
  carrierId: guid().nullish(),
}) {}

/** The most departures of one search. */
export const mostSailings = 200

/** Departures that can be booked. */
export abstract class SailingScheduleAppService extends AppService(Hub, 'SailingScheduleAppService', {
  ...crud(SailingScheduleDto, CreateSailingScheduleDto, UpdateSailingScheduleDto, SailingScheduleListInput),
  /** Finds departures between two ports that are not cancelled, the first one first; at most 200. */
  search: op(SearchSailingsInput).returns(z.array(SailingScheduleDto.schema)),
  /** Records that the carrier leaves a departure out: shipments that were to sail with it get an exception. */
  cancelSailing: op(id, ReasonDto).returns(SailingScheduleDto).at('POST', '{id}/cancel-sailing'),
}) {}

import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  guid,
  InputOf,
  inUnit,
  lookup,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** The kinds of facilities of DCSA. */
export const facilityTypes = ['BOCR', 'CLOC', 'COFS', 'OFFD', 'DEPO', 'INTE', 'POTE', 'PBPL', 'BRTH'] as const

/** A facility inside a port. */
export class TerminalDto extends EntityDto({
  portId: guid(),

  /** Unique in its port. */
  code: z.string().trim().min(1).max(20),
  name: z.string().trim().min(1).max(150),

  /** The kind of the facility by DCSA, such as POTE for a port terminal and DEPO for a depot. */
  facilityTypeCode: z.enum(facilityTypes),

  /** Code of the Bureau International des Containers. */
  bicFacilityCode: z.string().trim().max(9).nullish(),

  /** Code of the Ship Message Design Group. */
  smdgCode: z.string().trim().max(6).nullish(),
  /** Degrees north. */
  latitude: inUnit('°', z.number().min(-90).max(90).nullish()),
  /** Degrees east. */
  longitude: inUnit('°', z.number().min(-180).max(180).nullish()),
  ...activityMembers,
}) {}

/** The input for creating and changing a terminal. */
export class TerminalInput extends Dto({ ...InputOf(TerminalDto).shape, isActive: reactivation() }) {}

/** The input of the list of terminals. */
export class TerminalListInput extends Dto({ ...ReferenceListInput.shape, portId: guid().nullish() }) {}

/** Terminals, depots and other facilities of ports. Deleting one deactivates it. */
export abstract class TerminalAppService extends AppService(Hub, 'TerminalAppService', {
  ...crud(TerminalDto, TerminalInput, TerminalInput, TerminalListInput),
  ...lookup(),
}) {}

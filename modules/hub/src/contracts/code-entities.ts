import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  exportable,
  InputOf,
  LookupInput,
  lookup,
  ownFields,
  ReferenceFileInput,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** A row of one of the small coded lists: transport modes, Incoterms, document types and so on. */
export class CodeEntityDto extends EntityDto({
  /**
   * The list that the row is of.
   * @example TransportMode
   */
  type: z.string().regex(/^[A-Za-z]{1,30}$/, 'Hub:Validation:CodeEntityType'),

  /**
   * Unique in its list.
   * @example SEA
   */
  code: z.string().trim().min(1).max(20),
  name: z.string().trim().min(1).max(100),
  description: z.string().max(500).nullish(),
  ...activityMembers,

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Hub.CodeEntity'),
}) {}

/** The input for creating and changing a code entity. */
export class CodeEntityInput extends Dto({
  ...InputOf(CodeEntityDto).shape,
  /** The code in the public list it comes from. */
  standardCode: z.string().max(20).nullish(),

  /** Where the row stands in its list: smaller ones first. */
  sortOrder: z.int().min(-2147483648).max(2147483647).optional(),
  isActive: reactivation(),
}) {}

/** A page of one list or of all. */
export class CodeEntityListInput extends Dto({
  ...ReferenceListInput.shape,

  /** The list to give, e.g. `TransportMode`; all lists when not given. */
  type: z.string().max(30).nullish(),
}) {}

/** A lookup in one list or in all. */
export class CodeEntityLookupInput extends Dto({
  ...LookupInput.shape,
  type: CodeEntityListInput.shape.type,
}) {}

/** One list or all of them as a file. */
export class CodeEntityFileInput extends Dto({
  ...ReferenceFileInput.shape,
  type: CodeEntityListInput.shape.type,
}) {}

/**
 * Small coded lists in one table. A row in use keeps its type and code; deleting one deactivates it, and a
 * change brings it back (`isActive`).
 */
export abstract class CodeEntityAppService extends AppService(Hub, 'CodeEntityAppService', {
  ...crud(CodeEntityDto, CodeEntityInput, CodeEntityInput, CodeEntityListInput),
  ...lookup(CodeEntityLookupInput),
  ...exportable(CodeEntityFileInput),
}) {}

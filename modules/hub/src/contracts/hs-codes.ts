import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  guid,
  InputOf,
  id,
  listOf,
  lookup,
  op,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Hub } from './hub.js'
import { hsCode } from './orders.js'

/** A kind of goods in the Harmonized System of the World Customs Organization. */
export class HsCodeDto extends EntityDto({
  /**
   * Two, four or six digits.
   * @example "610910"
   */
  code: hsCode,
  description: z.string().trim().min(1).max(1000),

  /** How many digits the code has: 2 for a chapter, 4 for a heading, 6 for a subheading. */
  level: z.int(),

  /**
   * The section of its chapter, a Roman number.
   * @example XI
   */
  sectionCode: z.string().trim().min(1).max(5),

  /** The chapter of a heading, the heading of a subheading; null for a chapter. */
  parentId: guid().nullish(),
  ...activityMembers,
}) {}

/** The input for creating and changing a code. What it belongs to is told by its digits, and has to be there. */
export class HsCodeInput extends Dto({
  ...InputOf(HsCodeDto, 'level', 'parentId').shape,
  isActive: reactivation(),
}) {}

/** The input of the list of codes. */
export class HsCodeListInput extends Dto({
  ...ReferenceListInput.shape,

  /** Digits, with or without points and spaces, which a code begins with; or English words, each of which the description has, in any order and form. */
  filter: ReferenceListInput.shape.filter,

  /** Only codes of so many digits: 2, 4 or 6. */
  level: z.int().min(2).max(6).nullish(),

  /** Only codes right below this one. */
  parentId: guid().nullish(),
}) {}

/** Codes of goods of the Harmonized System. A code that is used, or has others below it, stays as it is. Deleting one deactivates it. */
export abstract class HsCodeAppService extends AppService(Hub, 'HsCodeAppService', {
  ...crud(HsCodeDto, HsCodeInput, HsCodeInput, HsCodeListInput),
  ...lookup(),
  /** Lists the codes right below one, by their digits. */
  getChildren: op(id).returns(listOf(HsCodeDto)),
}) {}

import {
  AppService,
  crud,
  Dto,
  deleteMany,
  deletionMembers,
  EntityDto,
  enumeration,
  exportable,
  FilteredPagedInput,
  guid,
  id,
  importable,
  instant,
  lookup,
  op,
  ownFields,
  PagedInput,
  pageOf,
  restorable,
  z,
} from '@keel/framework/contracts'
import { CreditStatus } from './enumerations.js'
import { Hub } from './hub.js'
import { mostUpserted, UpsertedDto, UpsertedManyDto } from './upserts.js'

/** An organization as it is named on other things. */
export class OrganizationRefDto extends EntityDto({ code: z.string(), fullName: z.string() }) {}

const fields = {
  /**
   * Upper-case letters and digits, unique.
   * @example ACME
   */
  code: z.string().regex(/^[A-Z0-9]{2,20}$/, 'Hub:Validation:OrganizationCode'),
  fullName: z.string().trim().min(1).max(200),
  shortName: z.string().max(50).nullish(),

  /** The organization above; null at the top. */
  parentOrganizationId: guid().nullish(),
  isConsignor: z.boolean().optional(),
  isConsignee: z.boolean().optional(),

  /** True when shipments can be done for it. */
  isControllingCustomer: z.boolean().optional(),
  isForwarder: z.boolean().optional(),
  isCarrier: z.boolean().optional(),
  isBroker: z.boolean().optional(),

  /**
   * ISO 3166 code of two letters.
   * @example NL
   */
  countryCode: z.string().regex(/^[A-Z]{2}$/, 'Validation:CountryCode'),

  /** The port that is proposed for its shipments. */
  closestPortId: guid().nullish(),

  /**
   * Number for VAT or another tax.
   * @example NL123456789B01
   */
  taxNumber: z.string().max(30).nullish(),

  /**
   * Number at the customs of the EU.
   * @example NL123456789
   */
  eoriNumber: z
    .string()
    .regex(/^[A-Z]{2}[A-Z0-9]{1,15}$/, 'Hub:Validation:EoriNumber')
    .nullish(),

  /**
   * Number at Dun & Bradstreet.
   * @example "123456789"
   */
  dunsNumber: z
    .string()
    .regex(/^\d{9}$/, 'Hub:Validation:DunsNumber')
    .nullish(),

  /**
   * ISO 4217 code.
   * @example EUR
   */
  defaultCurrencyCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Validation:CurrencyCode')
    .nullish(),

  /**
   * Language of documents and mails, as a culture name.
   * @example nl
   */
  language: z.string().max(10).nullish(),
  webSite: z.string().max(200).nullish(),

  /** The state of its credit: whether it still gets delivered on account. */
  creditStatus: enumeration('CreditStatus', CreditStatus).optional(),

  /** Its id in the system that it came from. */
  externalId: z.string().max(100).nullish(),

  /** True when it can be used on new shipments. */
  isActive: z.boolean().optional(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Hub.Organization'),
}

/** A company: customer, supplier, agent or carrier's office. */
export class OrganizationDto extends EntityDto({
  ...fields,
  /** The codes from the top down to this one, e.g. `/ROOT/CHILD/`. */
  hierarchyPath: z.string(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for creating an organization. */
export class CreateOrganizationDto extends Dto(fields) {}

/** An organization of another system. Of one that is there absent members stay, and null clears. */
export class UpsertOrganizationDto extends Dto({
  ...CreateOrganizationDto.shape,
  externalId: z.string().trim().min(1).max(100),
}) {}

/** Organizations of another system. */
export class UpsertOrganizationsDto extends Dto({
  rows: z.array(UpsertOrganizationDto.schema).min(1).max(mostUpserted),
}) {}

/** The input for changing an organization; absent members stay. A given stamp must be the one last seen. */
export class UpdateOrganizationDto extends Dto({
  ...Dto(fields).schema.partial().shape,
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** An organization in the tree: the members that show its place. */
export class OrganizationNodeDto extends EntityDto({
  code: fields.code,
  fullName: fields.fullName,
  parentOrganizationId: fields.parentOrganizationId,
  hierarchyPath: z.string(),

  /** 1 for an organization without one above. */
  level: z.int(),
  isActive: z.boolean(),
}) {}

/** The input for moving an organization, with everything below it. A given stamp must be the one last seen. */
export class MoveOrganizationDto extends Dto({
  /** The organization that it is put below; null for the top. */
  newParentId: guid().nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The input for merging an organization into another. A given stamp must be the one last seen of the one that stays. */
export class MergeOrganizationDto extends Dto({
  /** The organization that goes. */
  sourceId: guid(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The input of lists of rows that belong to organizations. */
export class OfOrganizationListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only rows of this organization. */
  organizationId: guid().nullish(),
}) {}

/** A deleted organization. */
export class DeletedOrganizationDto extends EntityDto({
  code: fields.code,
  fullName: fields.fullName,
  countryCode: fields.countryCode,
  ...deletionMembers,
}) {}

/** Companies. A caller who does not see all sees those of their own organizations. */
export abstract class OrganizationAppService extends AppService(Hub, 'OrganizationAppService', {
  ...crud(OrganizationDto, CreateOrganizationDto, UpdateOrganizationDto),
  ...lookup(),
  ...deleteMany(),
  ...exportable(),
  ...importable(),
  ...restorable(OrganizationDto, DeletedOrganizationDto),
  /** Creates the organization that another system has under `externalId`, or changes it. Needs `Organization.Edit`, and `Organization.Create` to create. */
  upsert: op(UpsertOrganizationDto).returns(UpsertedDto).at('PUT', 'by-external-id'),
  /** Does the same with up to 200 organizations, each in a transaction of its own. The answer tells what became of each. */
  upsertMany: op(UpsertOrganizationsDto).returns(UpsertedManyDto).at('PUT', 'by-external-id/many'),
  /** Lists an organization and everything below it that the caller sees, in pages, each behind the one above it. */
  getTree: op(id, PagedInput).returns(pageOf(OrganizationNodeDto)).at('GET', '{id}/tree'),
  /** Puts an organization, with everything below it, below another one or at the top. For staff. */
  move: op(id, MoveOrganizationDto).returns(OrganizationDto),
  /**
   * Merges another organization into this one, for staff: children, addresses, contacts, members, documents, orders and its places on
   * shipments move here, and the other organization is deleted.
   */
  merge: op(id, MergeOrganizationDto).returns(OrganizationDto),
}) {}

import {
  AppService,
  crud,
  Dto,
  deleteMany,
  deletionMembers,
  EntityDto,
  enumeration,
  exportable,
  guid,
  importable,
  instant,
  lookup,
  ownFields,
  restorable,
  z,
} from '@keel/framework/contracts'
import { CreditStatus } from './enumerations.js'
import { Hub } from './hub.js'

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

/** The input for changing an organization; absent members stay. A given stamp must be the one last seen. */
export class UpdateOrganizationDto extends Dto({
  ...Dto(fields).schema.partial().shape,
  concurrencyStamp: z.string().max(40).nullish(),
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
}) {}

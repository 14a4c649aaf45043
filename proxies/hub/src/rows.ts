// The rows of entity sets whose columns are not the members of a DTO that services answer with.
import { EntityDto, instant, z } from '@keel/framework/contracts'

/** A country of ISO 3166-1. */
export class CountryRow extends EntityDto({
  isActive: z.boolean(),
  code: z.string(),
  alpha3Code: z.string(),
  numericCode: z.string(),
  name: z.string(),
  officialName: z.string().nullable(),
  regionCode: z.string().nullable(),
  currencyCode: z.string().nullable(),
  isEuMember: z.boolean(),
  defaultTimeZone: z.string().nullable(),
}) {}

/** A user's membership in an organization. */
export class OrganizationMemberRow extends EntityDto({
  organizationId: z.guid(),
  userId: z.guid(),
  userName: z.string(),
  /** A member of `AccessScope`, as a number. */
  accessScope: z.int(),
  isDefault: z.boolean(),
  validUntil: instant().nullable(),
}) {}

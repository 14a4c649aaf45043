import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  extraProperties,
  FilteredPagedInput,
  id,
  instant,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { Identity } from './identity.js'

const path = '/api/identity/claim-types'

/** The types of claim values. */
export enum IdentityClaimValueType {
  String = 0,
  Int = 1,
  Boolean = 2,
  DateTime = 3,
}

/** A kind of claim that users and roles may have. */
export class ClaimTypeDto extends EntityDto({
  name: z.string(),

  /** True when every user must have it. */
  required: z.boolean(),

  /** True when it comes with the program: it can be neither changed nor deleted. */
  isStatic: z.boolean(),

  /** Values have to match the whole of it; null for all values. */
  regex: z.string().nullable(),

  /** Says in words what values have to look like. */
  regexDescription: z.string().nullable(),
  description: z.string().nullable(),
  valueType: enumeration('IdentityClaimValueType', IdentityClaimValueType),

  /** The name of `valueType`. */
  valueTypeAsString: z.string(),
  creationTime: instant(),
  concurrencyStamp: z.string(),
  extraProperties: z.record(z.string(), z.unknown()),
}) {}

const writable = {
  name: z.string().trim().min(1).max(256),
  required: z.boolean().default(false),
  /** Values have to match the whole of it. */
  regex: z.string().max(512).nullish(),
  regexDescription: z.string().max(128).nullish(),
  description: z.string().max(256).nullish(),
  valueType: enumeration('IdentityClaimValueType', IdentityClaimValueType),
  extraProperties: extraProperties().nullish(),
}

/** A claim type to be. */
export class CreateClaimTypeDto extends Dto(writable) {}

/** The input for changing a claim type, with the stamp that was last seen; no stamp means no check. */
export class UpdateClaimTypeDto extends Dto({
  ...writable,
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The kinds of claims that users and roles may have. */
export abstract class IdentityClaimTypeAppService extends AppService(
  Identity,
  'IdentityClaimTypeAppService',
  {
    /** Lists claim types, in pages. */
    getList: op(FilteredPagedInput).returns(pageOf(ClaimTypeDto)).at('GET', path),
    /** Gets a claim type. */
    get: op(id).returns(ClaimTypeDto).at('GET', `${path}/{id}`),
    /** Creates a claim type. */
    create: op(CreateClaimTypeDto).returns(ClaimTypeDto).at('POST', path),
    /** Changes a claim type. Refused for those that come with the program (`isStatic`). */
    update: op(id, UpdateClaimTypeDto).returns(ClaimTypeDto).at('PUT', `${path}/{id}`),
    /** Deletes a claim type. Refused for those that come with the program (`isStatic`). */
    delete: op(id).at('DELETE', `${path}/{id}`),
  },
) {}

import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  extraProperties,
  FilteredPagedInput,
  guid,
  id,
  instant,
  listOf,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { concurrencyStamp, keptProperties, Saas } from './saas.js'

/** True when a tenant may work. */
export enum TenantActivationState {
  Active = 0,

  /** Until `activationEndDate`. */
  ActiveWithLimitedTime = 1,

  /** May not work. */
  Passive = 2,
}

const activationState = enumeration('TenantActivationState', TenantActivationState)

/** A company that would have data of its own. */
export class SaasTenantDto extends EntityDto({
  name: z.string(),
  editionId: z.guid().nullable(),

  /** When the edition ends; null for never. */
  editionEndDateUtc: instant().nullable(),
  editionName: z.string().nullable(),

  /** True when its data is in a database of its own. */
  hasDefaultConnectionString: z.boolean(),
  activationState,

  /** Until when the tenant may work, where its time is limited. */
  activationEndDate: instant().nullable(),
  concurrencyStamp: z.string(),
  extraProperties: keptProperties,
}) {}

/** Which tenants. */
export class GetTenantsInput extends Dto({
  ...FilteredPagedInput.shape,
  /** Without it `editionName` is null. */
  getEditionNames: z.boolean().default(false),
  editionId: guid().nullish(),
  /** Between which the edition ends. */
  expirationDateMin: instant().nullish(),
  expirationDateMax: instant().nullish(),
  activationState: activationState.nullish(),
  activationEndDateMin: instant().nullish(),
  activationEndDateMax: instant().nullish(),
}) {}

const written = {
  name: z.string().trim().min(1).max(64),
  editionId: guid().nullish(),
  editionEndDateUtc: instant().nullish(),
  activationState: activationState.default(TenantActivationState.Active),
  activationEndDate: instant().nullish(),
  extraProperties: extraProperties().nullish(),
}

/** The input for a new tenant. */
export class SaasTenantCreateDto extends Dto({
  ...written,
  adminEmailAddress: z.string().trim().min(1).max(256),
  adminPassword: z.string().min(1).max(128),
}) {}

/** The changes to a tenant. */
export class SaasTenantUpdateDto extends Dto({ ...written, concurrencyStamp }) {}

/** An edition to choose. */
export class EditionLookupDto extends EntityDto({ displayName: z.string() }) {}

const route = '/api/saas/tenants'

/** Tenants, as ABP's SaaS pages ask for them. While multi-tenancy is off none can be created, and those there are have no effect. */
export abstract class SaasTenantAppService extends AppService(Saas, 'SaasTenantAppService', {
  /** Lists tenants, in pages. */
  getList: op(GetTenantsInput).returns(pageOf(SaasTenantDto)).at('GET', route),
  /** Gets a tenant. */
  get: op(id).returns(SaasTenantDto).at('GET', `${route}/{id}`),
  /** Creates a tenant. Refused while multi-tenancy is off. */
  create: op(SaasTenantCreateDto).returns(SaasTenantDto).at('POST', route),
  /** Changes a tenant. */
  update: op(id, SaasTenantUpdateDto).returns(SaasTenantDto).at('PUT', `${route}/{id}`),
  /** Deletes a tenant. */
  delete: op(id).at('DELETE', `${route}/{id}`),
  /** Lists ids and names of all editions. */
  getEditionLookup: op().returns(listOf(EditionLookupDto)).at('GET', `${route}/lookup/editions`),
}) {}

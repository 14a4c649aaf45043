import {
  AppService,
  Dto,
  EntityDto,
  extraProperties,
  FilteredPagedInput,
  id,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { concurrencyStamp, keptProperties, TenantManagement } from './saas.js'

/** A tenant, as far as ABP's open-source page shows it. */
export class TenantDto extends EntityDto({
  name: z.string(),
  concurrencyStamp: z.string(),
  extraProperties: keptProperties,
}) {}

const name = z.string().trim().min(1).max(64)

/** The input for a new tenant. */
export class TenantCreateDto extends Dto({
  name,
  adminEmailAddress: z.string().trim().min(1).max(256),
  adminPassword: z.string().min(1).max(128),
  extraProperties: extraProperties().nullish(),
}) {}

/** The changes to a tenant. */
export class TenantUpdateDto extends Dto({
  name,
  extraProperties: extraProperties().nullish(),
  concurrencyStamp,
}) {}

const route = '/api/multi-tenancy/tenants'

/** The same tenants, as ABP's open-source tenant page asks for them. */
export abstract class TenantAppService extends AppService(TenantManagement, 'TenantAppService', {
  /** Lists tenants, in pages. */
  getList: op(FilteredPagedInput).returns(pageOf(TenantDto)).at('GET', route),
  /** Gets a tenant. */
  get: op(id).returns(TenantDto).at('GET', `${route}/{id}`),
  /** Creates a tenant. Refused while multi-tenancy is off. */
  create: op(TenantCreateDto).returns(TenantDto).at('POST', route),
  /** Renames a tenant. */
  update: op(id, TenantUpdateDto).returns(TenantDto).at('PUT', `${route}/{id}`),
  /** Deletes a tenant. */
  delete: op(id).at('DELETE', `${route}/{id}`),
}) {}

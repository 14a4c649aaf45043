import {
  AppService,
  Dto,
  EntityDto,
  extraProperties,
  FilteredPagedInput,
  id,
  listOf,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { OpenIddictPro } from './open-iddict.js'

const settings = {
  /**
   * Letters, digits and `_`; unique.
   * @example Core
   */
  name: z.string().trim().min(1).max(200).regex(/^\w+$/, 'OpenId:Validation:ScopeName'),
  displayName: z.string().trim().max(200).nullish(),
  description: z.string().trim().max(1000).nullish(),
  /** The audiences that tokens with this scope are for: `Core`, the one there is, or none. */
  resources: z.array(z.string().min(1).max(200)).max(100).default([]),
  extraProperties: extraProperties().default({}),
}

/** A new scope. */
export class CreateScopeInput extends Dto(settings) {}

/** A scope as it is to be. */
export class UpdateScopeInput extends Dto({
  ...settings,
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** A scope that clients may ask for. Those of OpenID Connect are built in and have an empty id. */
export class ScopeDto extends EntityDto({
  name: z.string(),
  displayName: z.string().nullable(),
  description: z.string().nullable(),

  /** True for a scope of OpenID Connect, which cannot be changed. The spelling is ABP's. */
  buildIn: z.boolean(),

  /** The audiences of tokens with the scope. */
  resources: z.array(z.string()),
  concurrencyStamp: z.string(),
  extraProperties: z.record(z.string(), z.unknown()),
}) {}

/** Which scopes: `filter` is a part of the name, the display name or the description. */
export class GetScopeListInput extends Dto(FilteredPagedInput.shape) {}

/** A page of scopes. */
export const ScopePage = pageOf(ScopeDto)

const root = '/api/openiddict/scopes'

/** The scopes that clients may ask for. What is changed counts at the auth server within a second. */
export abstract class ScopeAppService extends AppService(OpenIddictPro, 'ScopeAppService', {
  /** Lists scopes, in pages. */
  getList: op(GetScopeListInput).returns(ScopePage).at('GET', root),
  /** Lists all scopes, without pages. */
  getAllScopes: op().returns(listOf(ScopeDto)).at('GET', `${root}/all`),
  /** Gets a scope. */
  get: op(id).returns(ScopeDto).at('GET', `${root}/{id}`),
  /** Creates a scope. */
  create: op(CreateScopeInput).returns(ScopeDto).at('POST', root),
  /** Changes a scope. */
  update: op(id, UpdateScopeInput).returns(ScopeDto).at('PUT', `${root}/{id}`),
  /** Deletes a scope. */
  delete: op(id).at('DELETE', root),
}) {}

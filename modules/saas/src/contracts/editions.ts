import {
  AppService,
  Dto,
  EntityDto,
  extraProperties,
  FilteredPagedInput,
  guid,
  id,
  listOf,
  op,
  pageOf,
  param,
  z,
} from '@keel/framework/contracts'
import { concurrencyStamp, keptProperties, Saas } from './saas.js'

/** What tenants subscribe to: a name, and the features that are set for it. */
export class EditionDto extends EntityDto({
  displayName: z.string(),
  /** There are no payment plans: null. */
  planId: z.guid().nullable(),
  planName: z.string().nullable(),
  concurrencyStamp: z.string(),
  tenantCount: z.int(),
  extraProperties: keptProperties,
}) {}

const displayName = z.string().trim().min(1).max(128)

/** What an edition is created with. */
export class EditionCreateDto extends Dto({
  displayName,
  extraProperties: extraProperties().nullish(),
}) {}

/** What an edition is changed to. */
export class EditionUpdateDto extends Dto({
  displayName,
  extraProperties: extraProperties().nullish(),
  concurrencyStamp,
}) {}

/** How many tenants each edition has, by its name. */
export class GetEditionUsageStatisticsResultDto extends Dto({ data: z.record(z.string(), z.int()) }) {}

const route = '/api/saas/editions'

/** Editions. Their features are set in the feature dialog, under the provider `E`. */
export abstract class EditionAppService extends AppService(Saas, 'EditionAppService', {
  getList: op(FilteredPagedInput).returns(pageOf(EditionDto)).at('GET', route),
  getAllList: op().returns(listOf(EditionDto)).at('GET', `${route}/all`),
  get: op(id).returns(EditionDto).at('GET', `${route}/{id}`),
  create: op(EditionCreateDto).returns(EditionDto).at('POST', route),
  update: op(id, EditionUpdateDto).returns(EditionDto).at('PUT', `${route}/{id}`),
  /** Its tenants have no edition afterwards, and its features are forgotten. */
  delete: op(id).at('DELETE', `${route}/{id}`),
  /** Gives all tenants of an edition another one, or none. */
  moveAllTenants: op(id, param('editionId', guid().nullish())).at('PUT', `${route}/{id}/move-all-tenants`),
  getUsageStatistics: op()
    .returns(GetEditionUsageStatisticsResultDto)
    .at('GET', `${route}/statistics/usage-statistic`),
}) {}

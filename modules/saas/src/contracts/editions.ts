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

/** An edition that tenants subscribe to: a name, and the features that are set for it. */
export class EditionDto extends EntityDto({
  displayName: z.string(),
  /** There are no payment plans: null. */
  planId: z.guid().nullable(),
  planName: z.string().nullable(),
  concurrencyStamp: z.string(),

  /** How many tenants have it. */
  tenantCount: z.int(),
  extraProperties: keptProperties,
}) {}

const displayName = z.string().trim().min(1).max(128)

/** The input for a new edition. */
export class EditionCreateDto extends Dto({
  displayName,
  extraProperties: extraProperties().nullish(),
}) {}

/** The changes to an edition. */
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
  /** Lists editions, in pages. */
  getList: op(FilteredPagedInput).returns(pageOf(EditionDto)).at('GET', route),
  /** Lists all editions, without pages. */
  getAllList: op().returns(listOf(EditionDto)).at('GET', `${route}/all`),
  /** Gets an edition. */
  get: op(id).returns(EditionDto).at('GET', `${route}/{id}`),
  /** Creates an edition. */
  create: op(EditionCreateDto).returns(EditionDto).at('POST', route),
  /** Renames an edition. */
  update: op(id, EditionUpdateDto).returns(EditionDto).at('PUT', `${route}/{id}`),
  /** Deletes an edition. Its tenants have no edition afterwards, and its features are forgotten. */
  delete: op(id).at('DELETE', `${route}/{id}`),
  /**
   * Moves all tenants of an edition to another one.
   * @param editionId The edition that they get; none when not given.
   */
  moveAllTenants: op(id, param('editionId', guid().nullish())).at('PUT', `${route}/{id}/move-all-tenants`),
  /** Counts the tenants of each edition. */
  getUsageStatistics: op()
    .returns(GetEditionUsageStatisticsResultDto)
    .at('GET', `${route}/statistics/usage-statistic`),
}) {}

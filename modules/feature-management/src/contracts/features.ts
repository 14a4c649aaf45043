import { AppService, Dto, listOf, op, param, z } from '@keel/framework/contracts'
import { FeatureManagement } from './feature-management.js'

const properties = z.record(z.string(), z.unknown())

/** Which text says what a value means. */
export class FeatureTextDto extends Dto({ resourceName: z.string(), name: z.string() }) {}

/** A value that can be chosen. */
export class FeatureSelectionItemDto extends Dto({ value: z.string(), displayText: FeatureTextDto.schema }) {}

/** The values that can be chosen. */
export class FeatureSelectionDto extends Dto({ items: listOf(FeatureSelectionItemDto) }) {}

/** The validator of a value: `NULL`, `BOOLEAN`, `NUMERIC` or `STRING`, with its properties. */
export class FeatureValidatorDto extends Dto({ name: z.string(), properties }) {}

/** The value type of a feature, under the name of ABP's type. */
export class FeatureValueTypeDto extends Dto({
  name: z.string(),
  properties,
  validator: FeatureValidatorDto.schema,
  itemSource: FeatureSelectionDto.schema.nullable(),
}) {}

/**
 * The source of a feature's value: the tenant `T`, the edition `E`, the configuration `C` or the default `D`.
 */
export class FeatureProviderDto extends Dto({ name: z.string(), key: z.string().nullable() }) {}

/** A feature as it stands for a holder. */
export class FeatureDto extends Dto({
  name: z.string(),
  displayName: z.string(),

  /**
   * The value in force, as text.
   * @example "true"
   */
  value: z.string(),
  provider: FeatureProviderDto.schema,
  description: z.string().nullable(),
  valueType: FeatureValueTypeDto.schema,

  /** 0 for a feature without a parent, 1 for its children and so on. */
  depth: z.int(),
  parentName: z.string().nullable(),
}) {}

/** The features of one group, parents before their children. */
export class FeatureGroupDto extends Dto({
  name: z.string(),
  displayName: z.string(),
  features: listOf(FeatureDto),
}) {}

/** All features as they stand for a holder. */
export class GetFeatureListResultDto extends Dto({ groups: listOf(FeatureGroupDto) }) {}

/** The new value of a feature; null removes the value that was set. */
export class UpdateFeatureDto extends Dto({
  name: z.string().min(1).max(128),
  value: z.string().max(128).nullish(),
}) {}

/** Features to change; the others stay as they are. */
export class UpdateFeaturesDto extends Dto({ features: listOf(UpdateFeatureDto).max(1000) }) {}

const route = '/api/feature-management/features'
/** `T` or `E`. */
const providerName = param('providerName', z.string().max(64))
/** The id of the edition or tenant; the whole system when not given. */
const providerKey = param('providerKey', z.string().max(64).nullish())

/** The features of editions and tenants, for ABP's feature dialog. */
export abstract class FeatureAppService extends AppService(
  FeatureManagement,
  'FeatureAppService',
  {
    /** Gets all features as they stand for an edition or a tenant. */
    get: op(providerName, providerKey).returns(GetFeatureListResultDto).at('GET', route),
    /** Sets features of an edition or a tenant. The others stay. */
    update: op(providerName, providerKey, UpdateFeaturesDto).at('PUT', route),
    /** Takes back all features that were set for an edition or a tenant. */
    delete: op(providerName, providerKey).at('DELETE', route),
  },
  'Features',
) {}

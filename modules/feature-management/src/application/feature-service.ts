import { Application, AutoApiController, ambient, Features, Localization } from '@keel/framework'
import {
  EntityNotFoundError,
  type FeatureValueType,
  faultOf,
  ValidationError,
} from '@keel/framework/contracts'
import { Authenticated, demandPermission } from '@keel/framework/security'
import {
  FeatureAppService,
  type FeatureDto,
  type FeatureHolder,
  FeatureHolders,
  FeatureManagementPermissions,
  type FeatureProviderDto,
  type FeatureValueTypeDto,
  featurePolicies,
  type GetFeatureListResultDto,
  hostFeatures,
  StoredFeatures,
  type UpdateFeaturesDto,
} from '../contracts/index.js'
import { featureTree, type PlacedFeature } from '../domain/feature-tree.js'

/** The feature dialog: which permission it takes depends on whose features are asked for. */
@AutoApiController(FeatureAppService)
@Authenticated()
export class FeatureService implements FeatureAppService {
  constructor(
    private readonly application: Application,
    private readonly features: Features,
    private readonly stored: StoredFeatures,
    private readonly localization: Localization,
  ) {}

  async get(providerName: string, providerKey?: string | null): Promise<GetFeatureListResultDto> {
    const holder = await this.managed(providerName, providerKey)
    const set = await this.stored.valuesOf(holder)
    return {
      groups: featureTree(this.features.definitions.values()).map(({ name, features }) => ({
        name,
        displayName: this.text(`Feature:${name}`) ?? name,
        features: features.map((feature) => this.shown(feature, holder, set)),
      })),
    }
  }

  async update(
    providerName: string,
    providerKey: string | null | undefined,
    { features }: UpdateFeaturesDto,
  ): Promise<void> {
    const holder = await this.managed(providerName, providerKey)
    const faults = features.flatMap(({ name }, index) =>
      this.features.definitions.has(name)
        ? []
        : [faultOf(`features[${index}].name`, 'FeatureManagement:Validation:Feature', { name })],
    )
    if (faults.length) throw new ValidationError(faults)
    const values = features.map(({ name, value }) => [name, value ?? null] as const)
    await this.stored.set(holder, Object.fromEntries(values))
  }

  async delete(providerName: string, providerKey?: string | null): Promise<void> {
    await this.stored.clear(await this.managed(providerName, providerKey))
  }

  /** A holder that the caller may manage. Refuses a provider there is none of, callers without its policy, and holders that don't exist. */
  private async managed(providerName: string, providerKey?: string | null): Promise<FeatureHolder> {
    if (providerName !== 'T' && (providerName !== 'E' || !providerKey))
      throw new ValidationError([
        faultOf('providerName', 'FeatureManagement:Validation:Provider', { name: providerName }),
      ])
    if (!providerKey) {
      demandPermission(FeatureManagementPermissions.ManageHostFeatures)
      return hostFeatures
    }
    demandPermission(featurePolicies[providerName])
    const holder = { providerName, providerKey: providerKey.toLowerCase() } as const
    const holders = this.application.find(FeatureHolders)
    if (!(await holders?.exists(holder)))
      throw new EntityNotFoundError(providerName === 'T' ? 'Tenant' : 'Edition', providerKey)
    return holder
  }

  private shown(
    { definition, depth }: PlacedFeature,
    { providerName, providerKey }: FeatureHolder,
    set: ReadonlyMap<string, string>,
  ): FeatureDto {
    const { name, displayName, parent, valueType } = definition
    const own = set.get(name)
    const inherited = this.features.configured.has(name) ? 'C' : 'D'
    const provider: FeatureProviderDto =
      own === undefined ? { name: inherited, key: null } : { name: providerName, key: providerKey }
    return {
      name,
      displayName: this.text(`Feature:${name}`) ?? displayName,
      value: own ?? this.features.statedValueOf(name) ?? '',
      provider,
      description: this.text(`Feature:${name}:Description`) ?? null,
      valueType: this.shownType(valueType),
      depth,
      parentName: parent ?? null,
    }
  }

  private shownType({ name, validator, choices }: FeatureValueType): FeatureValueTypeDto {
    const resources = choices ? this.localization.resources(ambient().culture) : []
    const items = choices?.map(({ value, displayText }) => ({
      value,
      displayText: {
        resourceName: resources.find(({ texts }) => Object.hasOwn(texts, displayText))?.name ?? '',
        name: displayText,
      },
    }))
    return {
      name,
      properties: {},
      validator: { name: validator.name, properties: { ...validator.properties } },
      itemSource: items ? { items } : null,
    }
  }

  private text(key: string): string | undefined {
    return this.localization.find(key, ambient().culture)
  }
}

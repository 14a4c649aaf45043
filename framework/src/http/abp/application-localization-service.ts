import { LRUCache } from 'lru-cache'
import {
  AbpApplicationLocalizationAppService,
  ApplicationLocalizationDto,
  type ApplicationLocalizationInput,
  faultOf,
  ValidationError,
} from '../../contracts/index.js'
import { Application } from '../../modularity/application.js'
import { describeCulture } from '../../modularity/current-culture.js'
import { AutoApiController } from '../../modularity/injectable.js'
import { taggedResult } from '../../modularity/json-text.js'
import { AllowAnonymous } from '../../security/guards.js'
import { entityTag } from './application-configuration-service.js'

type Localization = InstanceType<typeof ApplicationLocalizationDto>

/** Strangers choose the culture: few are kept. */
const mostKept = 32

/** All texts in a culture, made when they are asked for first: they do not change while the host runs. */
@AutoApiController(AbpApplicationLocalizationAppService)
@AllowAnonymous()
export class ApplicationLocalizationService implements AbpApplicationLocalizationAppService {
  private readonly made = new LRUCache<string, Localization>({ max: mostKept })

  constructor(private readonly application: Application) {}

  async get({ cultureName, onlyDynamics }: ApplicationLocalizationInput): Promise<Localization> {
    const key = `${cultureName.toLowerCase()} ${onlyDynamics}`
    const localization = this.made.get(key) ?? this.make(cultureName, onlyDynamics)
    this.made.set(key, localization)
    return localization
  }

  private make(cultureName: string, onlyDynamics: boolean): Localization {
    const currentCulture = describeCulture(cultureName)
    if (!currentCulture)
      throw new ValidationError([faultOf('cultureName', 'Validation:Culture', { culture: cultureName })])
    const resources = this.application.localization
      .resources(currentCulture.cultureName)
      .map(({ name, texts, baseResources }) => [
        name,
        { texts: onlyDynamics ? {} : texts, baseResources: [...baseResources] },
      ])
    const json = Buffer.from(
      JSON.stringify({ resources: Object.fromEntries(resources), currentCulture } satisfies Localization),
    )
    return taggedResult(ApplicationLocalizationDto, json, entityTag(json))
  }
}

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  AbpApplicationConfigurationAppService,
  ApplicationConfigurationDto,
  type ApplicationConfigurationInput,
  isMultiTenancyEnabled,
} from '../../contracts/index.js'
import { ambient } from '../../modularity/ambient.js'
import { Application } from '../../modularity/application.js'
import { describeCulture } from '../../modularity/current-culture.js'
import { AutoApiController } from '../../modularity/injectable.js'
import { taggedResult } from '../../modularity/json-text.js'
import { PlatformSettings } from '../../modularity/platform-settings.js'
import type { Principal } from '../../modularity/principal.js'
import { timeZoneNames } from '../../modularity/time-zone.js'
import { AllowAnonymous } from '../../security/guards.js'
import { extraProperties } from './build.js'
import { objectExtensions } from './object-extensions.js'

type Configuration = InstanceType<typeof ApplicationConfigurationDto>

interface Compiled {
  readonly principal: Principal
  readonly settingsVersion: number
  readonly featuresVersion: number
  readonly answer: Configuration
  readonly bytes: number
}

/** Some 10,000 callers' answers without texts. */
const mostKeptBytes = 32 * 1024 * 1024

/**
 * The settings, texts, permissions and features that a client needs before its first page. The answer is
 * compiled once per principal, culture and version of settings and features, and sent with an entity tag. A
 * principal is made anew whenever its user, roles or grants change, so the next call sees the change.
 *
 * ABP sets the anti-forgery cookie `XSRF-TOKEN` here. We don't: it protects sign-in by cookie, and this host
 * knows bearer tokens alone, which no browser sends by itself.
 */
@AutoApiController(AbpApplicationConfigurationAppService)
@AllowAnonymous()
export class ApplicationConfigurationService implements AbpApplicationConfigurationAppService {
  private readonly compiled = new LRUCache<string, Compiled>({
    maxSize: mostKeptBytes,
    sizeCalculation: ({ bytes }) => bytes,
  })
  private readonly extraProperties: Record<string, unknown>

  constructor(private readonly application: Application) {
    this.extraProperties = extraProperties(application.configuration)
  }

  async get({ includeLocalizationResources }: ApplicationConfigurationInput): Promise<Configuration> {
    const { principal, culture } = ambient()
    const { userId = '', clientId = '', sessionId = '', apiKeyId = '' } = principal
    const key = `${userId} ${clientId} ${sessionId} ${apiKeyId} ${culture} ${includeLocalizationResources}`
    // Taken before reading: what changes meanwhile makes it old.
    const { version: settingsVersion } = this.application.settings
    const { version: featuresVersion } = this.application.features
    const kept = this.compiled.get(key)
    const isSame =
      kept?.principal === principal &&
      kept.settingsVersion === settingsVersion &&
      kept.featuresVersion === featuresVersion
    if (isSame) return kept.answer
    const json = Buffer.from(
      JSON.stringify(await this.configuration(principal, culture, includeLocalizationResources)),
    )
    const answer = taggedResult(ApplicationConfigurationDto, json, entityTag(json))
    if (settingsVersion !== undefined && featuresVersion !== undefined)
      this.compiled.set(key, { principal, settingsVersion, featuresVersion, answer, bytes: json.length })
    return answer
  }

  private async configuration(
    principal: Principal,
    culture: string,
    withTexts: boolean,
  ): Promise<Configuration> {
    const { settings, features } = this.application
    const [settingValues, featureValues, timeZone] = await Promise.all([
      settings.visibleValues(principal.userId),
      features.visibleValues(),
      settings.valueOf(PlatformSettings.TimeZone.name, principal.userId),
    ])
    const zone = timeZoneNames(timeZone)
    return {
      localization: this.localization(culture, withTexts),
      auth: { grantedPolicies: this.grantedPolicies(principal) },
      setting: { values: settingValues },
      currentUser: currentUser(principal),
      features: { values: featureValues },
      globalFeatures: { enabledFeatures: [...features.enabledGlobally] },
      multiTenancy: { isEnabled: isMultiTenancyEnabled, userSharingStrategy: 0 },
      currentTenant: { id: null, name: null, isAvailable: false },
      timing: { timeZone: { iana: { timeZoneName: zone.iana }, windows: { timeZoneId: zone.windows } } },
      // Our instants carry `Z`: clients may turn them into the time zone of their user.
      clock: { kind: this.application.clock.kind },
      objectExtensions: objectExtensions(this.application.ownFields, principal, culture),
      extraProperties: this.extraProperties,
    }
  }

  /** Permissions, and policies beside them: for ABP's clients both are policies. */
  private grantedPolicies(principal: Principal): Record<string, boolean> {
    const { permissions, policies } = this.application
    const granted = [...permissions.keys()].filter((name) => principal.permissions.has(name))
    for (const policy of policies.values()) if (policy.admits(principal)) granted.push(policy.name)
    return Object.fromEntries(granted.map((name) => [name, true]))
  }

  /** Texts travel in `resources`; `values`, which older clients read, has each resource's own. */
  private localization(culture: string, withTexts: boolean): Configuration['localization'] {
    const resources = withTexts ? this.application.localization.resources(culture) : []
    const currentCulture = describeCulture(culture)
    if (!currentCulture) throw new Error(`${culture} is offered as a culture, but there is no such language`)
    return {
      values: Object.fromEntries(resources.map(({ name, texts }) => [name, texts])),
      resources: Object.fromEntries(
        resources.map(({ name, texts, baseResources }) => [
          name,
          { texts, baseResources: [...baseResources] },
        ]),
      ),
      languages: this.application.localization.languages.map(({ cultureName, displayName }) => ({
        cultureName,
        uiCultureName: cultureName,
        displayName,
        twoLetterISOLanguageName: cultureName.split('-')[0] as string,
        flagIcon: null,
      })),
      currentCulture,
      // Where a client looks for a key without a resource (`::Key`).
      defaultResourceName: this.application.configuration.get('App:DefaultResourceName') ?? 'AbpUi',
      languagesMap: {},
      languageFilesMap: {},
      useRouteBasedCulture: false,
    }
  }
}

/**
 * A client's own token has no user: as for ABP, its bearer is not authenticated here, whatever it was
 * granted.
 */
function currentUser({ user, sessionId, impersonator }: Principal): Configuration['currentUser'] {
  return {
    isAuthenticated: user !== undefined,
    id: user?.id ?? null,
    tenantId: null,
    impersonatorUserId: impersonator?.userId ?? null,
    impersonatorTenantId: null,
    impersonatorUserName: impersonator?.userName ?? null,
    impersonatorTenantName: null,
    userName: user?.userName ?? null,
    name: user?.name ?? null,
    surName: user?.surname ?? null,
    email: user?.email ?? null,
    emailVerified: user?.isEmailConfirmed ?? false,
    phoneNumber: user?.phoneNumber ?? null,
    phoneNumberVerified: user?.isPhoneNumberConfirmed ?? false,
    roles: [...(user?.roles ?? [])],
    sessionId: sessionId ?? null,
  }
}

/** A weak entity tag: the same content, whoever made it. */
export function entityTag(json: Buffer): string {
  return `W/"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`
}

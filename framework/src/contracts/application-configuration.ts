import { z } from 'zod'
import { AppService } from './app-service.js'
import { Dto, listOf } from './dto.js'
import { id, op, param } from './operation.js'
import { remoteService } from './remote-service.js'

/** ABP's core endpoints: routes under `/api/abp`. */
export const Abp = remoteService('abp', 'abp', undefined, undefined, 'Application')

/** The patterns of dates and times in a culture, in .NET's notation (`dd.MM.yyyy`, `h:mm tt`). */
export class DateTimeFormatDto extends Dto({
  calendarAlgorithmType: z.string(),
  dateTimeFormatLong: z.string(),
  shortDatePattern: z.string(),
  fullDateTimePattern: z.string(),
  dateSeparator: z.string(),
  shortTimePattern: z.string(),
  longTimePattern: z.string(),
}) {}

/** A culture as .NET's CultureInfo describes it. */
export class CurrentCultureDto extends Dto({
  displayName: z.string(),
  englishName: z.string(),
  threeLetterIsoLanguageName: z.string(),
  twoLetterIsoLanguageName: z.string(),
  isRightToLeft: z.boolean(),
  cultureName: z.string(),
  name: z.string(),
  nativeName: z.string(),
  dateTimeFormat: DateTimeFormatDto.schema,
}) {}

/** A language that can be chosen. */
export class LanguageInfoDto extends Dto({
  cultureName: z.string(),
  uiCultureName: z.string(),
  displayName: z.string(),
  twoLetterISOLanguageName: z.string(),
  flagIcon: z.string().nullable(),
}) {}

/** The texts of a resource. Base resources are in the answer too: the client looks there next. */
export class LocalizationResourceDto extends Dto({
  texts: z.record(z.string(), z.string()),
  baseResources: z.array(z.string()),
}) {}

class NameValueDto extends Dto({ name: z.string(), value: z.string() }) {}

/** Languages, the culture in force and, when they were asked for, all texts. */
export class ApplicationLocalizationConfigurationDto extends Dto({
  values: z.record(z.string(), z.record(z.string(), z.string())),
  resources: z.record(z.string(), LocalizationResourceDto.schema),
  languages: listOf(LanguageInfoDto),
  currentCulture: CurrentCultureDto.schema,
  defaultResourceName: z.string().nullable(),
  languagesMap: z.record(z.string(), listOf(NameValueDto)),
  languageFilesMap: z.record(z.string(), listOf(NameValueDto)),
  useRouteBasedCulture: z.boolean(),
}) {}

/** The user who sends the request; all members are null, false or empty for an anonymous caller. */
export class CurrentUserDto extends Dto({
  isAuthenticated: z.boolean(),
  id: z.guid().nullable(),
  tenantId: z.guid().nullable(),
  impersonatorUserId: z.guid().nullable(),
  impersonatorTenantId: z.guid().nullable(),
  impersonatorUserName: z.string().nullable(),
  impersonatorTenantName: z.string().nullable(),
  userName: z.string().nullable(),
  name: z.string().nullable(),
  surName: z.string().nullable(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  phoneNumber: z.string().nullable(),
  phoneNumberVerified: z.boolean(),
  roles: z.array(z.string()),
  sessionId: z.string().nullable(),
}) {}

/** The time zone of the setting `Abp.Timing.TimeZone`, by IANA and Windows name; unknown ones are null. */
export class TimingDto extends Dto({
  timeZone: z.object({
    iana: z.object({ timeZoneName: z.string().nullable() }),
    windows: z.object({ timeZoneId: z.string().nullable() }),
  }),
}) {}

/** Everything a client needs to know before it shows its first page. @see abp-http-contract, section 2.1 */
export class ApplicationConfigurationDto extends Dto({
  localization: ApplicationLocalizationConfigurationDto.schema,
  auth: z.object({ grantedPolicies: z.record(z.string(), z.boolean()) }),
  setting: z.object({ values: z.record(z.string(), z.string().nullable()) }),
  currentUser: CurrentUserDto.schema,
  features: z.object({ values: z.record(z.string(), z.string()) }),
  globalFeatures: z.object({ enabledFeatures: z.array(z.string()) }),
  multiTenancy: z.object({ isEnabled: z.boolean(), userSharingStrategy: z.int() }),
  currentTenant: z.object({
    id: z.guid().nullable(),
    name: z.string().nullable(),
    isAvailable: z.boolean(),
  }),
  timing: TimingDto.schema,
  clock: z.object({ kind: z.enum(['Unspecified', 'Utc', 'Local']) }),
  objectExtensions: z.object({
    modules: z.record(z.string(), z.unknown()),
    enums: z.record(z.string(), z.unknown()),
  }),
  extraProperties: z.record(z.string(), z.unknown()),
}) {}

/** How much of the configuration is wanted. */
export class ApplicationConfigurationInput extends Dto({
  /** With all texts; ABP's default. Angular asks without and fetches them on their own. */
  includeLocalizationResources: z.boolean().default(true),
}) {}

/** Everything that a client needs to know of the host and its user. */
export abstract class AbpApplicationConfigurationAppService extends AppService(
  Abp,
  'AbpApplicationConfigurationAppService',
  {
    /** Gets the configuration, permissions, settings and culture that a client starts with. */
    get: op(ApplicationConfigurationInput)
      .returns(ApplicationConfigurationDto)
      .at('GET', '/api/abp/application-configuration')
      .withEntityTag(),
  },
) {}

/** Which texts are wanted. */
export class ApplicationLocalizationInput extends Dto({
  /** E.g. `de` or `zh-Hans`. */
  cultureName: z.string().min(1).max(35),
  /** Only texts that do not come with the program. There are none, so this gives resources without texts. */
  onlyDynamics: z.boolean().default(false),
}) {}

/** All texts in a culture, with those of its parent culture and of English where it has none. */
export class ApplicationLocalizationDto extends Dto({
  resources: z.record(z.string(), LocalizationResourceDto.schema),
  currentCulture: CurrentCultureDto.schema,
}) {}

/** The texts of the user interface. */
export abstract class AbpApplicationLocalizationAppService extends AppService(
  Abp,
  'AbpApplicationLocalizationAppService',
  {
    /** Gets all texts of a culture, by resource. */
    get: op(ApplicationLocalizationInput)
      .returns(ApplicationLocalizationDto)
      .at('GET', '/api/abp/application-localization')
      .withEntityTag(),
  },
) {}

/** A tenant that was looked for; `success` says whether there is one. */
export class FindTenantResultDto extends Dto({
  success: z.boolean(),
  tenantId: z.guid().nullable(),
  name: z.string().nullable(),
  normalizedName: z.string().nullable(),
  isActive: z.boolean(),
}) {}

/** Looks tenants up for the tenant box of the login page. */
export abstract class AbpTenantAppService extends AppService(
  Abp,
  'AbpTenantAppService',
  {
    /** Finds a tenant by its name. `success` is false when there is none. */
    findTenantByName: op(param('name', z.string()))
      .returns(FindTenantResultDto)
      .at('GET', '/api/abp/multi-tenancy/tenants/by-name/{name}'),
    /** Finds a tenant by its id. `success` is false when there is none. */
    findTenantById: op(id)
      .returns(FindTenantResultDto)
      .at('GET', '/api/abp/multi-tenancy/tenants/by-id/{id}'),
  },
  'Tenants',
) {}

import { readdirSync, readFileSync } from 'node:fs'
import * as core from '@keel/default-proxy'
import { type AnyAppService, importable } from '@keel/framework/contracts'
import * as hub from '@keel/hub-proxy'
import * as platform from '@keel/platform-proxy'
import * as pricing from '@keel/pricing-proxy'
import { expect, test } from 'vitest'

const sources = new URL('../../../hosts/admin/ui/src/', import.meta.url)
const files = new Map(
  readdirSync(sources, { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [name, readFileSync(new URL(name, sources), 'utf8')]),
)

type Members = Readonly<Record<string, { readonly service?: AnyAppService; readonly rows?: unknown }>>
const exported: Readonly<Record<string, unknown>> = { ...core, ...hub, ...platform, ...pricing }
const isService = (value: unknown): value is AnyAppService =>
  typeof value === 'function' && 'contract' in value

/** The services that administrators and operators work with: all of the platform and of Pricing, and those of Hub and the core that people use. */
const services = [
  ...[platform, pricing].flatMap((proxy) =>
    Object.values(proxy as Record<string, unknown>).filter(isService),
  ),
  hub.OrganizationAppService,
  hub.OrganizationMemberAppService,
  hub.OrganizationAddressAppService,
  hub.OrganizationContactAppService,
  hub.CodeEntityAppService,
  hub.HubSettingsAppService,
  hub.ShipmentAppService,
  hub.ShipmentMilestoneAppService,
  hub.ShipmentExceptionAppService,
  hub.ShipmentNoteAppService,
  hub.ShipmentReferenceNumberAppService,
  hub.ShipmentStatusHistoryAppService,
  hub.ShipmentContainerAppService,
  hub.PackLineAppService,
  hub.PackLineDangerousGoodsAppService,
  hub.TrackingEventAppService,
  hub.OrderAppService,
  hub.DocumentAppService,
  hub.ConsolAppService,
  hub.ContainerAppService,
  hub.WebhookAppService,
  hub.OrganizationInvitationAppService,
  hub.CarrierAppService,
  hub.VesselAppService,
  hub.PortAppService,
  hub.TerminalAppService,
  hub.UnLocodeAppService,
  hub.Iso3166AppService,
  hub.UnitOfMeasureAppService,
  hub.HsCodeAppService,
  hub.HarmonizedSystemAppService,
  hub.SailingScheduleAppService,
  hub.EmissionFactorAppService,
  hub.ContainerTypeAppService,
  hub.DangerousSubstanceAppService,
  hub.WebhookDeliveryAppService,
  core.ExportRunAppService,
  core.ExportScheduleAppService,
  core.SavedViewAppService,
  core.NotificationAppService,
  core.NotificationPreferencesAppService,
  core.PersonalDataRequestAppService,
  core.OwnPersonalDataAppService,
]

/** The groups of `platform` in `clients.ts`. */
const groups: Readonly<Record<string, Members>> = {
  application: platform.applicationMembers,
  identity: platform.identityMembers,
  account: platform.accountMembers,
  permissions: platform.permissionMembers,
}

const nameOf = (service: AnyAppService): string => service.contract.name

/** The names under which a file calls services: what it takes from `platform`, and what it opens or imports. */
function aliasesIn(text: string, others: ReadonlyMap<string, string>): Map<string, string> {
  const aliases = new Map<string, string>()
  for (const [, names = '', group = ''] of text.matchAll(/const \{([^}]*)\} = platform\.(\w+)/g))
    for (const [member, alias] of taken(names)) add(alias, groups[group]?.[member]?.service)
  for (const [, names = '', given = ''] of text.matchAll(/const \{([^}]*)\} = openProxy\(([\s\S]*?)\)\n/g)) {
    const opened = openedIn(given)
    for (const [member, alias] of taken(names)) add(alias, opened[member])
  }
  for (const [, names = ''] of text.matchAll(/import \{([^}]*)\} from '\.[^']*'/g))
    for (const [name, alias] of taken(names)) {
      const service = others.get(name)
      if (service) aliases.set(alias, service)
    }
  return aliases

  function add(alias: string, service: AnyAppService | undefined): void {
    if (service) aliases.set(alias, nameOf(service))
  }
}

/** `a, b: c` of a destructuring, as pairs. */
function taken(names: string): [member: string, alias: string][] {
  return names
    .split(',')
    .map((part) =>
      part
        .trim()
        .replace(/^type /, '')
        .split(/\s*(?::| as )\s*/),
    )
    .filter(([member]) => member)
    .map(([member = '', alias = member]) => [member, alias])
}

/** The services that the argument of `openProxy` names, by member. */
function openedIn(given: string): Record<string, AnyAppService | undefined> {
  const whole = exported[given.trim()] as Members | undefined
  if (whole) return Object.fromEntries(Object.entries(whole).map(([name, { service }]) => [name, service]))
  return Object.fromEntries([
    ...[...given.matchAll(/(\w+): \{ service: (\w+)(?:, rows: \w+)? \}/g)].map(
      ([, name = '', service = '']) => [name, exported[service] as AnyAppService] as const,
    ),
    ...[...given.matchAll(/(\w+): (\w+Members)\.(\w+)/g)].map(
      ([, name = '', members = '', member = '']) =>
        [name, (exported[members] as Members)[member]?.service] as const,
    ),
  ])
}

/** What the files of `parts` open and export. */
const shared = new Map(
  [...files.values()].flatMap((text) => {
    const own = aliasesIn(text, new Map())
    return [...text.matchAll(/export const \{([^}]*)\} = openProxy/g)]
      .flatMap(([, names = '']) => taken(names))
      .flatMap(([, alias]) => (own.has(alias) ? [[alias, own.get(alias) as string] as const] : []))
  }),
)

/** Every operation that the sources of the UI name, as `Service.operation`. */
const used = new Set(
  [...files.values()].flatMap((text) => {
    const aliases = aliasesIn(text, shared)
    const direct = [...text.matchAll(/platform\.(\w+)\.(\w+)\.(\w+)/g)].map(
      ([, group = '', member = '', operation]) => {
        const service = groups[group]?.[member]?.service
        return service ? `${nameOf(service)}.${operation}` : ''
      },
    )
    // A call with options of its own, `withOptions(documents, { signal }).getZip(…)`, too.
    const plain = text.replace(/withOptions\((\w+), [^()]*\)/g, '$1')
    const called = [...plain.matchAll(/(?<![.\w])(\w+)\.(\w+)\b/g)].map(
      ([, alias = '', operation]) => `${aliases.get(alias)}.${operation}`,
    )
    // The dialog of imports takes a service as a whole.
    const imported = [...text.matchAll(/<ImportFiles\s+service=\{(\w+)\}/g)].flatMap(([, alias = '']) =>
      Object.keys(importable()).map((operation) => `${aliases.get(alias)}.${operation}`),
    )
    return [...direct, ...called, ...imported]
  }),
)

const selfService = 'a person does this on the pages of the auth server, under “My account”'
const anonymous = 'for people who are not signed in: pages of the auth server'
const tenants = 'this product runs without tenants; the routes are there for ABP’s clients'
const otherRoute = (name: string) => `${name} answers the same, and is what the page uses`
const programs = 'for programs, not for people'
const onThings =
  'permissions on single things are given on the pages of these things, which are not there yet'

const oneByOne = 'the page deletes one by one: each deletion is asked for'
const chargesOfShipments = 'the charges of one shipment are few enough for its page'
const afresh = 'deleted and added afresh'

/** Why no page uses these. A whole service stands as `Service.*`. */
const reasons: Readonly<Record<string, string>> = {
  'AccountAppService.*': anonymous,
  'AccountExternalLoginAppService.*': selfService,
  'AccountExternalProviderAppService.*': programs,
  'AccountSecurityLogAppService.*': selfService,
  'AccountSessionAppService.get': otherRoute('getList'),
  'AccountSessionAppService.revokeAll': selfService,
  'ApiKeyAppService.getPermissions': otherRoute('PermissionAppService.get'),
  'ApiKeyAppService.updatePermissions': otherRoute('PermissionAppService.update'),
  'AuditLogsAppService.getEntityChange': otherRoute('getEntityChangesWithUsername'),
  'AuditLogsAppService.getEntityChangeWithUsername': otherRoute('getEntityChangesWithUsername'),
  'ContainerAppService.getByNumber': otherRoute('getList'),
  'ContainerAppService.validateNumber': 'the server checks the number when the container is saved',
  'DynamicClaimsAppService.*': programs,
  'EditionAppService.*': tenants,
  'IdentityExternalUserAppService.*': 'users of a password authority come in when they first sign in',
  'IdentitySecurityLogAppService.get': otherRoute('getList'),
  'IdentitySessionAppService.get': otherRoute('getList'),
  'IdentityUserAppService.findByEmail': otherRoute('getList'),
  'IdentityUserAppService.findByUsername': otherRoute('getList'),
  'IdentityUserFileAppService.getDownloadToken': 'the page sends its own token with the download',
  'IdentityUserLookupAppService.*': programs,
  'LinkUserAppService.*': selfService,
  'IdentityUserAppService.getOrganizationUnitLookup': otherRoute('getAvailableOrganizationUnits'),
  'IdentityUserAppService.getRoles': otherRoute('get'),
  'IdentityUserAppService.getTwoFactorEnabled': otherRoute('get'),
  'IdentityUserAppService.updateRoles': otherRoute('update'),
  'ListMailAppService.*': 'for the lists of daily operations; users are exported at once',
  'OrganizationAppService.deleteMany': oneByOne,
  'OrganizationMemberAppService.getMyAccess': programs,
  'OrganizationMemberAppService.getMyOrganizations':
    'a person’s own memberships: part of the pages of daily operations',
  'OrganizationMemberAppService.setDefault': 'a person’s own choice; administrators use update',
  'PermissionAppService.deleteResource': onThings,
  'PermissionAppService.getByGroup': otherRoute('get'),
  'PermissionAppService.getResource': onThings,
  'PermissionAppService.getResourceByProvider': onThings,
  'PermissionAppService.getResourceDefinitions': onThings,
  'PermissionAppService.getResourceProviderKeyLookupServices': onThings,
  'PermissionAppService.searchResourceProviderKey': onThings,
  'PermissionAppService.updateResource': onThings,
  'ProfileAppService.canEnableTwoFactor': selfService,
  'ProfileAppService.getTwoFactorEnabled': selfService,
  'ProfileAppService.setTwoFactorEnabled': selfService,
  'ProfilePictureAppService.*': selfService,
  'ReauthenticationAppService.*': selfService,
  'SaasTenantAppService.*': tenants,
  'SailingScheduleAppService.search': otherRoute('getList'),
  'SavedViewAppService.get': otherRoute('getList'),
  'ShipmentAppService.getByReference': otherRoute('get'),
  'ShipmentAppService.getUpcomingShipments': otherRoute('getList'),
  'ShipmentStatusHistoryAppService.get': otherRoute('getList'),
  'TenantAppService.*': tenants,
  'ShipmentAppService.upsert': programs,
  'ShipmentAppService.upsertMany': programs,
  'OrderAppService.upsert': programs,
  'OrderAppService.upsertMany': programs,
  'OrganizationAppService.upsert': programs,
  'OrganizationAppService.upsertMany': programs,
  'TrackingEventAppService.create': programs,
  'TrackingEventAppService.createMany': programs,
  'TrackingEventAppService.get': otherRoute('getList'),
  'TerminalAppService.getLookup': otherRoute('getList'),
  'TwoFactorAppService.*': selfService,
  'WebhookDeliveryAppService.get': otherRoute('getList'),
  'UserDelegationAppService.*': selfService,
  'ExportRunAppService.get': otherRoute('getList'),
  'ExchangeRateAppService.getCurrent': otherRoute('convert'),
  'MarginRuleAppService.test': 'the explanation of a charge names its rule; trying one out has no page yet',
  'QuoteAppService.reRateMany': 'the page of a quote shows what changes before one quote is priced again',
  'FuelIndexAppService.getCurrent': otherRoute('FuelIndexValueAppService.getList'),
  'FuelIndexValueAppService.get': otherRoute('getList'),
  'FuelIndexValueAppService.getListAsCsvFile': 'a series is short enough for its page',
  'FuelIndexValueAppService.getListAsExcelFile': 'a series is short enough for its page',
  'FuelIndexValueAppService.update': afresh,
  'NotificationAppService.get': otherRoute('getList'),
  'RateBreakAppService.*': 'the sheet replaces all breaks of a line at once',
  'RateCardAppService.getExpiring': 'the list sorts by the end of the validity',
  'RateLaneAppService.deleteMany': oneByOne,
  'RateLineAppService.deleteMany': oneByOne,
  'RateZoneAppService.deleteMany': oneByOne,
  'RateZoneAppService.getLookup': otherRoute('getList'),
  'RateZoneAppService.resolve': programs,
  'RateZoneMemberAppService.deleteMany': oneByOne,
  'RateZoneMemberAppService.get': otherRoute('getList'),
  'RateZoneMemberAppService.update': afresh,
  'ShipmentChargeAppService.getListAsCsvFile': chargesOfShipments,
  'ShipmentChargeAppService.getListAsExcelFile': chargesOfShipments,
}

test('every operation that an administrator needs is used by a page, or has a reason', () => {
  const all = services.flatMap((service) =>
    [...service.contract.operations.keys()].map((operation) => `${nameOf(service)}.${operation}`),
  )
  const unused = all.filter((name) => !used.has(name))
  const reasonOf = (name: string) => reasons[name] ?? reasons[`${name.split('.')[0]}.*`]
  expect(all.length).toBeGreaterThan(200)
  expect(unused.filter((name) => reasonOf(name) === undefined)).toEqual([])
  // No reason outlives the page that it excuses.
  const needless = Object.keys(reasons).filter((key) => {
    const those = all.filter(
      (name) => name === key || (key.endsWith('.*') && name.startsWith(key.slice(0, -1))),
    )
    return those.length === 0 || those.some((name) => used.has(name))
  })
  expect(needless).toEqual([])
})

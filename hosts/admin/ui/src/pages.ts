import type { ReactNode } from 'react'
import type { IconName } from './parts/icons.js'

/** A page of the UI: its address, its entry in the menu, and the permission that shows it. */
export interface PageEntry {
  /** E.g. `/users`; `$id` stands for the id of a thing. */
  readonly path: string
  /** The key of its title, which is also its name in the menu. */
  readonly title: string
  /** The key of the heading that it stands under in the menu; none for the dashboard. */
  readonly group?: string
  readonly icon: IconName
  /** Without it, or without any of several, the page is in no menu, and its address says what it needs. */
  readonly permission?: string | readonly string[]
  /** Reached from elsewhere than the menu. */
  readonly isHidden?: boolean
  /** The file of the page, a chunk of its own: it exports `Page`. */
  readonly load: () => Promise<{ Page: () => ReactNode }>
}

const operations = 'Ops:Operations'
const reference = 'Ops:ReferenceData'
const people = 'AbpIdentity::Menu:IdentityManagement'
const pricing = 'Pricing::Permission:Pricing'
const access = 'Menu:Access'
const logs = 'Menu:Logs'
const work = 'BackgroundWork::Permission:BackgroundWork'
const system = 'Menu:System'

/** All pages, in the order of the menu. A page is a file in `pages/` and an entry here. */
export const pages: readonly PageEntry[] = [
  { path: '/', title: 'Dashboard', icon: 'home', load: () => import('./pages/dashboard.js') },

  // Daily operations.
  {
    path: '/shipments',
    title: 'Ops:Shipments',
    group: operations,
    icon: 'box',
    permission: 'Shipment.View',
    load: () => import('./pages/shipments.js'),
  },
  {
    path: '/shipments/$id',
    title: 'Hub::Entity:Shipment',
    icon: 'box',
    permission: 'Shipment.View',
    isHidden: true,
    load: () => import('./pages/shipment.js'),
  },
  {
    path: '/shipment-board',
    title: 'Ops:Board',
    group: operations,
    icon: 'columns',
    permission: 'Shipment.View',
    load: () => import('./pages/shipment-board.js'),
  },
  {
    path: '/shipment-figures',
    title: 'Ops:Figures',
    group: operations,
    icon: 'grid',
    permission: 'Shipment.View',
    load: () => import('./pages/shipment-figures.js'),
  },
  {
    path: '/orders',
    title: 'Ops:Orders',
    group: operations,
    icon: 'list',
    permission: 'Order.View',
    load: () => import('./pages/orders.js'),
  },
  {
    path: '/orders/$id',
    title: 'Hub::Entity:Order',
    icon: 'list',
    permission: 'Order.View',
    isHidden: true,
    load: () => import('./pages/order.js'),
  },
  {
    path: '/consols',
    title: 'Ops:Consols',
    group: operations,
    icon: 'ship',
    permission: 'Consol.View',
    load: () => import('./pages/consols.js'),
  },
  {
    path: '/consols/$id',
    title: 'Hub::Entity:Consol',
    icon: 'ship',
    permission: 'Consol.View',
    isHidden: true,
    load: () => import('./pages/consol.js'),
  },
  {
    path: '/sailing-schedules',
    title: 'Ops:Sailings',
    group: operations,
    icon: 'clock',
    permission: 'SailingSchedule.View',
    load: () => import('./pages/sailing-schedules.js'),
  },
  {
    path: '/documents',
    title: 'Hub::DisplayName:Documents',
    group: operations,
    icon: 'file',
    permission: 'Document.View',
    load: () => import('./pages/documents.js'),
  },
  {
    path: '/export-schedules',
    title: 'ExportSchedules',
    group: operations,
    icon: 'clock',
    permission: 'ExportSchedule.View',
    load: () => import('./pages/export-schedules.js'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    group: operations,
    icon: 'globe',
    permission: 'Webhook.View',
    load: () => import('./pages/webhooks.js'),
  },

  // Prices.
  {
    path: '/quotes',
    title: 'Pricing:Quotes',
    group: pricing,
    icon: 'tag',
    permission: 'Quote.View',
    load: () => import('./pages/quotes.js'),
  },
  {
    path: '/quotes/$id',
    title: 'Pricing::Entity:Quote',
    icon: 'tag',
    permission: 'Quote.View',
    isHidden: true,
    load: () => import('./pages/quote.js'),
  },
  {
    path: '/rate-search',
    title: 'Pricing:RateSearch',
    group: pricing,
    icon: 'search',
    permission: 'RateCard.View',
    load: () => import('./pages/rate-search.js'),
  },
  {
    path: '/rate-cards',
    title: 'Pricing:RateCards',
    group: pricing,
    icon: 'grid',
    permission: 'RateCard.View',
    load: () => import('./pages/rate-cards.js'),
  },
  {
    path: '/rate-cards/$id',
    title: 'Pricing::Entity:RateCard',
    icon: 'grid',
    permission: 'RateCard.View',
    isHidden: true,
    load: () => import('./pages/rate-card.js'),
  },
  {
    path: '/surcharges',
    title: 'Pricing:Surcharges',
    group: pricing,
    icon: 'plus',
    permission: 'Surcharge.View',
    load: () => import('./pages/surcharges.js'),
  },
  {
    path: '/margin-rules',
    title: 'Pricing:MarginRules',
    group: pricing,
    icon: 'up',
    permission: 'MarginRule.View',
    load: () => import('./pages/margin-rules.js'),
  },
  {
    path: '/rate-zones',
    title: 'Pricing:Zones',
    group: pricing,
    icon: 'globe',
    permission: 'RateZone.View',
    load: () => import('./pages/rate-zones.js'),
  },
  {
    path: '/exchange-rates',
    title: 'Pricing:ExchangeRates',
    group: pricing,
    icon: 'refresh',
    permission: 'ExchangeRate.View',
    load: () => import('./pages/exchange-rates.js'),
  },
  {
    path: '/currencies',
    title: 'Pricing:Currencies',
    group: pricing,
    icon: 'coins',
    permission: 'ExchangeRate.View',
    load: () => import('./pages/currencies.js'),
  },
  {
    path: '/charge-codes',
    title: 'Pricing:ChargeCodes',
    group: pricing,
    icon: 'list',
    permission: 'ChargeCode.View',
    load: () => import('./pages/charge-codes.js'),
  },
  {
    path: '/fuel-indices',
    title: 'Pricing:FuelIndices',
    group: pricing,
    icon: 'history',
    permission: 'FuelIndex.View',
    load: () => import('./pages/fuel-indices.js'),
  },

  // What all of these refer to.
  {
    path: '/ports',
    title: 'Ops:Ports',
    group: reference,
    icon: 'pin',
    permission: 'Port.View',
    load: () => import('./pages/ports.js'),
  },
  {
    path: '/terminals',
    title: 'Ops:Terminals',
    group: reference,
    icon: 'columns',
    permission: 'Port.View',
    load: () => import('./pages/terminals.js'),
  },
  {
    path: '/carriers',
    title: 'Ops:Carriers',
    group: reference,
    icon: 'building',
    permission: 'Carrier.View',
    load: () => import('./pages/carriers.js'),
  },
  {
    path: '/vessels',
    title: 'Ops:Vessels',
    group: reference,
    icon: 'ship',
    permission: 'Carrier.View',
    load: () => import('./pages/vessels.js'),
  },
  {
    path: '/units',
    title: 'Ops:Units',
    group: reference,
    icon: 'grid',
    permission: 'CodeEntity.View',
    load: () => import('./pages/units.js'),
  },
  {
    path: '/codes',
    title: 'Ops:Codes',
    group: reference,
    icon: 'list',
    permission: 'CodeEntity.View',
    load: () => import('./pages/codes.js'),
  },
  {
    path: '/container-types',
    title: 'Ops:ContainerTypes',
    group: reference,
    icon: 'box',
    permission: 'CodeEntity.View',
    load: () => import('./pages/container-types.js'),
  },
  {
    path: '/dangerous-substances',
    title: 'Ops:Substances',
    group: reference,
    icon: 'flag',
    permission: 'CodeEntity.View',
    load: () => import('./pages/dangerous-substances.js'),
  },
  {
    path: '/hs-codes',
    title: 'Ops:HsCodes',
    group: reference,
    icon: 'tree',
    permission: 'CodeEntity.View',
    load: () => import('./pages/hs-codes.js'),
  },
  {
    path: '/emission-factors',
    title: 'Ops:EmissionFactors',
    group: reference,
    icon: 'globe',
    permission: 'Emission.View',
    load: () => import('./pages/emission-factors.js'),
  },

  // Administration.
  {
    path: '/users',
    title: 'AbpIdentity::Users',
    group: people,
    icon: 'users',
    permission: 'AbpIdentity.Users',
    load: () => import('./pages/users.js'),
  },
  {
    path: '/roles',
    title: 'AbpIdentity::Roles',
    group: people,
    icon: 'shield',
    permission: 'AbpIdentity.Roles',
    load: () => import('./pages/roles.js'),
  },
  {
    path: '/permission-matrix',
    title: 'PermissionMatrix',
    group: people,
    icon: 'grid',
    permission: 'AbpIdentity.Roles.ManagePermissions',
    load: () => import('./pages/permission-matrix.js'),
  },
  {
    path: '/organization-units',
    title: 'AbpIdentity::OrganizationUnits',
    group: people,
    icon: 'tree',
    permission: 'AbpIdentity.OrganizationUnits',
    load: () => import('./pages/organization-units.js'),
  },
  {
    path: '/explain',
    title: 'Explain',
    group: people,
    icon: 'question',
    permission: 'AbpIdentity.Users.ManagePermissions',
    load: () => import('./pages/explain.js'),
  },
  {
    path: '/permission-history',
    title: 'PermissionHistory',
    group: people,
    icon: 'history',
    permission: 'AbpPermissionManagement',
    load: () => import('./pages/permission-history.js'),
  },
  {
    path: '/claim-types',
    title: 'AbpIdentity::ClaimTypes',
    group: people,
    icon: 'list',
    permission: 'AbpIdentity.ClaimTypes',
    load: () => import('./pages/claim-types.js'),
  },
  {
    path: '/personal-data',
    title: 'PersonalData',
    group: people,
    icon: 'person',
    permission: 'PersonalData.View',
    load: () => import('./pages/personal-data.js'),
  },
  {
    path: '/organizations',
    title: 'Organizations',
    group: people,
    icon: 'building',
    permission: ['Organization.ManageMembers', 'Organization.Create', 'Organization.Edit'],
    load: () => import('./pages/organizations.js'),
  },
  {
    path: '/api-keys',
    title: 'ApiKeys::Permission:ApiKeys',
    group: access,
    icon: 'key',
    load: () => import('./pages/api-keys.js'),
  },
  {
    path: '/clients',
    title: 'AbpOpenIddict::Applications',
    group: access,
    icon: 'device',
    permission: 'OpenIddictPro.Application',
    load: () => import('./pages/clients.js'),
  },
  {
    path: '/scopes',
    title: 'AbpOpenIddict::Scopes',
    group: access,
    icon: 'globe',
    permission: 'OpenIddictPro.Scope',
    load: () => import('./pages/scopes.js'),
  },
  {
    path: '/jobs',
    title: 'BackgroundWork::Menu:BackgroundJobs',
    group: work,
    icon: 'clock',
    permission: 'BackgroundWork.Jobs',
    load: () => import('./pages/jobs.js'),
  },
  {
    path: '/events',
    title: 'BackgroundWork::Menu:Events',
    group: work,
    icon: 'mail',
    permission: 'BackgroundWork.Events',
    load: () => import('./pages/events.js'),
  },
  {
    path: '/audit-logs',
    title: 'AbpAuditLogging::AuditLogs',
    group: logs,
    icon: 'list',
    permission: 'AuditLogging.AuditLogs',
    load: () => import('./pages/audit-logs.js'),
  },
  {
    path: '/entity-changes',
    title: 'AbpAuditLogging::EntityChanges',
    group: logs,
    icon: 'history',
    permission: 'AuditLogging.AuditLogs',
    load: () => import('./pages/entity-changes.js'),
  },
  {
    path: '/security-logs',
    title: 'AbpIdentity::SecurityLogs',
    group: logs,
    icon: 'lock',
    permission: 'AbpIdentity.SecurityLogs',
    load: () => import('./pages/security-logs.js'),
  },
  {
    path: '/settings',
    title: 'AbpSettingManagement::Settings',
    group: system,
    icon: 'gear',
    permission: [
      'AbpIdentity.SettingManagement',
      'AbpAccount.SettingManagement',
      'SettingManagement.Emailing',
      'SettingManagement.TimeZone',
      'AuditLogging.AuditLogs.SettingManagement',
      'Hub.SettingManagement',
      'Pricing.SettingManagement',
    ],
    load: () => import('./pages/settings.js'),
  },
  {
    path: '/features',
    title: 'AbpFeatureManagement::Features',
    group: system,
    icon: 'toggle',
    permission: 'FeatureManagement.ManageHostFeatures',
    load: () => import('./pages/features.js'),
  },
  {
    path: '/notifications',
    title: 'Inbox:Notifications',
    icon: 'bell',
    permission: 'Notification.View',
    isHidden: true,
    load: () => import('./pages/notifications.js'),
  },
  {
    path: '/profile',
    title: 'MyProfile',
    icon: 'person',
    isHidden: true,
    load: () => import('./pages/profile.js'),
  },
]

/** The page of a path; `$id` in the path of a page stands for any one part. */
export function pageAt(pathname: string): PageEntry | undefined {
  const parts = pathname.split('/')
  const isAt = ({ path }: PageEntry) => {
    const own = path.split('/')
    return own.length === parts.length && own.every((part, index) => part === '$id' || part === parts[index])
  }
  return pages.find(isAt)
}
